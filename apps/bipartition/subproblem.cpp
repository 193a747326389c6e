// SPDX-License-Identifier: MIT
#include "apps/bipartition/subproblem.hpp"

#include <bit>
#include <cstdlib>
#include <limits>

namespace skua::apps::bipartition {
namespace {

/// One more edge counts in v's inner.
void count_one_more(graph const& g, open_vertex& v, side where) noexcept {
  std::uint32_t const next = v.passed[where] + static_cast<std::uint32_t>(std::countr_zero(v.edges >> v.passed[where]));
  v.inner[where] += g.lightest(v.vertex, next);
  v.passed[where] = static_cast<std::uint8_t>(next + 1);
}

/// The heaviest edge that counts does not count any more.
void count_one_less(graph const& g, open_vertex& v, side where) noexcept {
  std::uint32_t const last = 63 - static_cast<std::uint32_t>(std::countl_zero(v.edges & (only(v.passed[where]) - 1)));
  v.inner[where] -= g.lightest(v.vertex, last);
  v.passed[where] = static_cast<std::uint8_t>(last);
}

/// v, when `gone` has joined `where`.
void update(graph const& g, open_vertex& v, std::uint32_t gone, cost weight, side where) noexcept {
  side const opposite = other(where);
  if (weight == 0) {
    if (++v.excess[where] > 0) count_one_more(g, v, where);
    return;
  }
  std::uint32_t const rank = g.rank(v.vertex, gone);
  v.into[where] += weight;
  v.edges &= ~only(rank);
  if (v.excess[where] > 0 && rank < v.passed[where]) {
    v.inner[where] -= weight;
    count_one_more(g, v, where);
  }
  if (v.excess[opposite]-- > 0) {
    if (rank < v.passed[opposite]) {
      v.inner[opposite] -= weight;
    } else {
      count_one_less(g, v, opposite);
    }
  }
}

/// The sum of the `wanted` smallest of the first `count` values. It compares each with all: the selection of the standard
/// library takes longer for so few, because its branches are unpredictable.
std::int64_t sum_of_smallest(std::array<cost, most_vertices>& values, std::uint32_t count,
                             std::uint32_t wanted) noexcept {
  constexpr std::uint32_t lanes = 8;
  std::uint32_t const end = (count + lanes - 1) / lanes * lanes;
  std::fill(values.begin() + count, values.begin() + end, std::numeric_limits<cost>::max());
  std::array<std::int32_t, most_vertices> smaller;  // than each value
  cost last = std::numeric_limits<cost>::min();     // of the smallest
  for (std::uint32_t from = 0; from < end; from += lanes) {
    std::array<std::int32_t, lanes> here{};
    for (std::uint32_t j = 0; j < count; ++j) {
      for (std::uint32_t i = 0; i < lanes; ++i) here[i] += values[j] < values[from + i] ? 1 : 0;
    }
    std::copy_n(here.begin(), lanes, smaller.begin() + from);
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    if (smaller[i] < static_cast<std::int32_t>(wanted)) last = std::max(last, values[i]);
  }
  std::int64_t sum = std::int64_t{wanted} * last;
  for (std::uint32_t i = 0; i < count; ++i) sum += std::min(values[i] - last, 0);
  return sum;
}

/// The position of the largest absolute value among the first `count`; the first of several.
std::uint32_t largest_of(std::array<cost, most_vertices> const& values, std::uint32_t count) noexcept {
  std::uint32_t found = 0;
  cost largest = -1;
  for (std::uint32_t i = 0; i < count; ++i) {
    cost const size = std::abs(values[i]);
    if (size <= largest) [[likely]]
      continue;
    largest = size;
    found = i;
  }
  return found;
}

/// Sets the bound, and the vertex to branch on.
void bound(graph const& g, subproblem& s) noexcept {
  std::array<cost, most_vertices> gains;  // twice what a vertex costs in A, less twice what it costs in B
  std::int64_t twice = 0;
  cost most = std::numeric_limits<cost>::min();
  for (std::uint32_t i = 0; i < s.opens; ++i) {
    open_vertex const& v = s.open_vertices[i];
    cost const in_b = 2 * v.into.in_a + v.inner.in_b;
    gains[i] = 2 * v.into.in_b + v.inner.in_a - in_b;
    twice += in_b;
    cost const to_open = g.weight_of(v.vertex) - v.into.in_a - v.into.in_b;
    cost const rank = std::abs(gains[i]) + 2 * (to_open - v.inner.in_a - v.inner.in_b);
    if (rank <= most) continue;
    most = rank;
    s.next = i;
  }
  twice += sum_of_smallest(gains, s.opens, s.room.in_a);
  s.lower = s.cut + static_cast<cost>((twice + 1) / 2);
}

}  // namespace

subproblem& subproblem::operator=(subproblem const& from) noexcept {
  if (this == &from) return *this;
  a = from.a;
  b = from.b;
  cut = from.cut;
  lower = from.lower;
  next = from.next;
  opens = from.opens;
  room = from.room;
  std::ranges::copy(from.open(), open_vertices.begin());
  return *this;
}

subproblem bounded(graph const& g, vertex_set a, vertex_set b) noexcept {
  subproblem s;
  s.a = a;
  s.b = b;
  s.room = {g.size_of_a() - size(a), g.size_of_b() - size(b)};
  for_each_in(a, [&](std::uint32_t v) { s.cut += g.weight_between(v, b); });
  vertex_set const open = g.all() & ~(a | b);
  if (s.solved()) {
    s.lower = s.cut;
    for_each_in(open, [&](std::uint32_t v) { s.lower += g.weight_between(v, s.room.in_a == 0 ? a : b); });
    return s;
  }
  for_each_in(open, [&](std::uint32_t v) {
    open_vertex& made = s.open_vertices[s.opens++];
    std::uint32_t const degree = size(g.neighbours(v) & open);
    made = {.into = {g.weight_between(v, a), g.weight_between(v, b)},
            .inner = {},
            .excess = {static_cast<std::int8_t>(degree + 1 - s.room.in_a),
                       static_cast<std::int8_t>(degree + 1 - s.room.in_b)},
            .passed = {},
            .vertex = static_cast<std::uint8_t>(v),
            .edges = 0};
    for_each_in(g.neighbours(v) & open, [&](std::uint32_t u) { made.edges |= only(g.rank(v, u)); });
    for (side const where : {side::a, side::b}) {
      for (int i = 0; i < made.excess[where]; ++i) count_one_more(g, made, where);
    }
  });
  bound(g, s);
  return s;
}

subproblem whole(graph const& g) noexcept { return bounded(g, g.size_of_a() == g.size_of_b() ? only(0) : 0, 0); }

subproblem with_next(graph const& g, subproblem const& s, side where) noexcept {
  open_vertex const& gone = s.open_vertices[s.next];
  subproblem child;
  child.a = s.a;
  child.b = s.b;
  (where == side::a ? child.a : child.b) |= only(gone.vertex);
  child.cut = s.cut + gone.into[other(where)];
  child.room = s.room;
  --child.room[where];
  cost const* const weights = g.row(gone.vertex).data();
  if (child.solved()) {
    child.lower = child.cut;
    for (open_vertex const& v : s.open()) {
      if (v.vertex != gone.vertex) child.lower += v.into[where] + weights[v.vertex];
    }
    return child;
  }
  for (open_vertex const& v : s.open()) {
    if (v.vertex == gone.vertex) continue;
    open_vertex& mine = child.open_vertices[child.opens++] = v;
    update(g, mine, gone.vertex, weights[v.vertex], where);
  }
  bound(g, child);
  return child;
}

/// Each open vertex goes where it costs less, those with the largest difference first.
cost estimate(graph const& g, subproblem const& s) noexcept {
  std::array<cost, most_vertices> differences;  // what a vertex costs in B, less what it costs in A
  std::array<std::uint8_t, most_vertices> left;
  std::uint32_t count = s.opens;
  // A vertex costs half of what it costs in A and in B together, less half of the difference in favour of its side. Four times that:
  std::int64_t sum = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    open_vertex const& v = s.open_vertices[i];
    differences[i] = v.into.in_a - v.into.in_b;
    left[i] = v.vertex;
    sum += g.weight_of(v.vertex) + v.into.in_a + v.into.in_b;
  }
  per_side<std::uint32_t> room = s.room;
  while (count > 0) {
    std::uint32_t const chosen = room.in_a > 0 && room.in_b > 0 ? largest_of(differences, count) : 0;
    bool const to_a = room.in_b == 0 || (room.in_a > 0 && differences[chosen] > 0);
    cost const* const weights = g.row(left[chosen]).data();
    cost const sign = to_a ? 1 : -1;
    sum -= 2 * sign * differences[chosen];
    --(to_a ? room.in_a : room.in_b);
    --count;
    left[chosen] = left[count];
    differences[chosen] = differences[count];
    for (std::uint32_t i = 0; i < count; ++i) differences[i] += sign * weights[left[i]];
  }
  return s.cut + static_cast<cost>(sum / 4);
}

}  // namespace skua::apps::bipartition
