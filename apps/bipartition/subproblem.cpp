// SPDX-License-Identifier: MIT
#include "apps/bipartition/subproblem.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace skua::apps::bipartition {
namespace {

using per_vertex = std::array<cost, most_vertices>;

void add(per_vertex& sums, std::span<cost const> row) noexcept {
  for (std::size_t from = 0; from < row.size(); from += 8) {
    for (std::size_t i = from; i < from + 8; ++i) sums[i] += row[i];
  }
}

/// The weight of every vertex's edges into s.
per_vertex weights_into(graph const& g, vertex_set s) noexcept {
  per_vertex sums{};
  for_each_in(s, [&](std::uint32_t u) { add(sums, g.row(u)); });
  return sums;
}

struct two_costs {
  cost in_a = 0;
  cost in_b = 0;
};

/// inner_a and inner_b of v, see `bound`.
two_costs inner(graph const& g, std::uint32_t v, vertex_set others, std::uint32_t room_a,
                std::uint32_t room_b) noexcept {
  vertex_set const near = g.neighbours(v) & others;
  std::uint32_t const missing = size(others) - size(near);
  std::uint32_t const in_a = room_b - std::min(room_b, missing);
  std::uint32_t const in_b = room_a - std::min(room_a, missing);
  two_costs sum;
  std::uint32_t seen = 0;
  for (auto const& [weight, u] : g.lightest_first(v)) {
    if (seen >= std::max(in_a, in_b)) break;
    if (!contains(near, u)) continue;
    if (seen < in_a) sum.in_a += weight;
    if (seen < in_b) sum.in_b += weight;
    ++seen;
  }
  return sum;
}

struct open_vertex {
  cost gain;  ///< twice what v costs in A, less twice what it costs in B
  std::uint32_t vertex;
};

struct sides {
  per_vertex into_a;  ///< weight of each vertex's edges into A
  per_vertex into_b;
  std::uint32_t room_a;
  std::uint32_t room_b;
};

/// The cost of a greedy completion: each open vertex goes where it costs less, those with the largest difference first.
cost greedy_completion(graph const& g, vertex_set open, sides now) noexcept {
  cost sum = 0;
  while (now.room_a > 0 && now.room_b > 0) {
    std::uint32_t chosen = 0;
    cost largest = -1;
    for_each_in(open, [&](std::uint32_t v) {
      cost const difference = std::abs(now.into_a[v] - now.into_b[v]);
      if (difference <= largest) return;
      largest = difference;
      chosen = v;
    });
    bool const to_a = now.into_a[chosen] > now.into_b[chosen];
    sum += to_a ? now.into_b[chosen] : now.into_a[chosen];
    --(to_a ? now.room_a : now.room_b);
    add(to_a ? now.into_a : now.into_b, g.row(chosen));
    open &= ~only(chosen);
  }
  for_each_in(open, [&](std::uint32_t v) { sum += now.room_a > 0 ? now.into_b[v] : now.into_a[v]; });
  return sum;
}

}  // namespace

subproblem bounded(graph const& g, vertex_set a, vertex_set b, cost cut) noexcept {
  subproblem s{.a = a, .b = b, .cut = cut};
  vertex_set const open = s.open(g);
  std::uint32_t const room_a = g.size_of_a() - size(a);
  std::uint32_t const room_b = g.size_of_b() - size(b);
  per_vertex const into_a = weights_into(g, a);
  per_vertex const into_b = weights_into(g, b);

  std::array<open_vertex, most_vertices> order;
  std::size_t count = 0;
  std::int64_t twice = 0;
  cost largest = -1;
  for_each_in(open, [&](std::uint32_t v) {
    auto const [inner_a, inner_b] = inner(g, v, open & ~only(v), room_a, room_b);
    cost const in_a = 2 * into_b[v] + inner_a;
    cost const in_b = 2 * into_a[v] + inner_b;
    order[count++] = {in_a - in_b, v};
    twice += in_b;
    if (std::abs(in_a - in_b) <= largest) return;
    largest = std::abs(in_a - in_b);
    s.next = v;
  });
  auto const gains = std::span(order).first(count);
  std::ranges::nth_element(gains, gains.begin() + room_a, {}, &open_vertex::gain);

  for (auto const& [gain, v] : gains.first(room_a)) twice += gain;
  s.lower = cut + static_cast<cost>((twice + 1) / 2);
  s.estimate = cut + greedy_completion(g, open, {into_a, into_b, room_a, room_b});
  return s;
}

subproblem whole(graph const& g) noexcept { return bounded(g, g.size_of_a() == g.size_of_b() ? only(0) : 0, 0, 0); }

subproblem with_next(graph const& g, subproblem const& s, side where) noexcept {
  vertex_set const v = only(s.next);
  if (where == side::a) return bounded(g, s.a | v, s.b, s.cut + g.weight_between(s.next, s.b));
  return bounded(g, s.a, s.b | v, s.cut + g.weight_between(s.next, s.a));
}

}  // namespace skua::apps::bipartition
