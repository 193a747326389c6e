// SPDX-License-Identifier: MIT
#include "apps/bipartition/subproblem.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace skua::apps::bipartition {
namespace {

using per_vertex = std::array<cost, most_vertices>;

/// The weight of every vertex's edges into s.
per_vertex weights_into(graph const& g, vertex_set s) noexcept {
  per_vertex sums{};
  for_each_in(s, [&](std::uint32_t u) {
    std::span<cost const> const row = g.row(u);
    for (std::size_t from = 0; from < row.size(); from += 8) {
      for (std::size_t i = from; i < from + 8; ++i) sums[i] += row[i];
    }
  });
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

  vertex_set completed = a;
  s.estimate = cut;
  for (auto const& [gain, v] : gains.first(room_a)) {
    twice += gain;
    completed |= only(v);
  }
  for_each_in(open, [&](std::uint32_t v) { s.estimate += contains(completed, v) ? into_b[v] : into_a[v]; });
  vertex_set const rest = open & ~completed;
  for_each_in(open & completed, [&](std::uint32_t v) { s.estimate += g.weight_between(v, rest); });
  s.lower = cut + static_cast<cost>((twice + 1) / 2);
  return s;
}

subproblem whole(graph const& g) noexcept { return bounded(g, g.size_of_a() == g.size_of_b() ? only(0) : 0, 0, 0); }

subproblem with_next(graph const& g, subproblem const& s, side where) noexcept {
  vertex_set const v = only(s.next);
  if (where == side::a) return bounded(g, s.a | v, s.b, s.cut + g.weight_between(s.next, s.b));
  return bounded(g, s.a, s.b | v, s.cut + g.weight_between(s.next, s.a));
}

}  // namespace skua::apps::bipartition
