// SPDX-License-Identifier: MIT
// A subproblem of branch and bound: some vertices have their side, the others are open. Its bound follows Clausen and
// Traeff (Implementation of parallel branch-and-bound algorithms, 1991), with an improvement for dense graphs.
// [strategies-2013 4]
//
// bound: an open vertex v costs at least
//   * in A: the weight of its edges into B, and half of inner[a]: at most room[a] - 1 of its open neighbours join it in A, so it
//     cuts at least the others, of which the lightest are counted;
//   * in B: the same with A and B exchanged.
// It is half of inner because the other end of such an edge counts it too. Of all ways to put room[a] open vertices into A,
// the cheapest sum is found by selection on the differences. It is exact once a side is full: then inner is 0 for all.
//
// next: the vertex with the largest difference between the costs of its sides (twice each, as the bound adds them up), plus twice
// the weight of its edges to open vertices, less twice both inner. The difference raises the bound of one child; the edges
// raise those of the other open vertices, unless inner counts them already.
//
// incremental: a subproblem carries these sums of its open vertices. A child has those of its parent, changed by one vertex: into
// by one edge, and inner by at most two, because the number of edges that it counts changes by at most one.
#pragma once

#include <algorithm>
#include <array>

#include "apps/bipartition/graph.hpp"

namespace skua::apps::bipartition {

enum class side : std::uint8_t { a, b };
[[nodiscard]] constexpr side other(side s) noexcept { return s == side::a ? side::b : side::a; }

/// A value for each side.
template <class T>
struct per_side {
  T in_a;
  T in_b;
  [[nodiscard]] constexpr T& operator[](side s) noexcept { return s == side::a ? in_a : in_b; }
  [[nodiscard]] constexpr T const& operator[](side s) const noexcept { return s == side::a ? in_a : in_b; }
  friend constexpr bool operator==(per_side const&, per_side const&) = default;
};

/// Without initializers, which would clear room for 64 of them in each subproblem.
struct open_vertex {
  per_side<cost> into;   ///< the weight of its edges into the side
  per_side<cost> inner;  ///< see `bound`
  /// Its open neighbours, less those that have room beside it on the side; may be negative. It cuts at least so many edges to
  /// them, and inner is the weight of the lightest ones.
  per_side<std::int8_t> excess;
  per_side<std::uint8_t> passed;  ///< inner sums the open ones among so many of its lightest edges
  std::uint8_t vertex;
  std::uint64_t edges;  ///< bit i: the i-th lightest of its edges leads to an open vertex
};

struct subproblem {
  vertex_set a = 0;
  vertex_set b = 0;
  cost cut = 0;            ///< weight of the edges between a and b
  cost lower = 0;          ///< no completion cuts less
  std::uint32_t next = 0;  ///< the position among the open vertices of the one to branch on
  std::uint32_t opens = 0;
  per_side<std::uint32_t> room{};                        ///< so many open vertices go there
  std::array<open_vertex, most_vertices> open_vertices;  ///< the first `opens`, ascending; none if it is solved

  subproblem() = default;
  subproblem(subproblem const& from) noexcept { *this = from; }
  subproblem& operator=(subproblem const& from) noexcept;

  [[nodiscard]] std::span<open_vertex const> open() const noexcept { return std::span(open_vertices).first(opens); }
  /// One completion is left.
  [[nodiscard]] bool solved() const noexcept { return room.in_a == 0 || room.in_b == 0; }
  /// Side A of the only completion.
  [[nodiscard]] vertex_set solution(graph const& g) const noexcept { return room.in_a == 0 ? a : g.all() & ~b; }
};

/// The graph with these vertices on their sides. Work O(vertices^2).
[[nodiscard]] subproblem bounded(graph const& g, vertex_set a, vertex_set b) noexcept;

/// Every partition is a completion of it, but for exchanged sides: if these are equally large, vertex 0 is in A.
[[nodiscard]] subproblem whole(graph const& g) noexcept;

/// s with its vertex `next` on a side. s is not solved.
[[nodiscard]] subproblem with_next(graph const& g, subproblem const& s, side where) noexcept;

/// The cut of one completion, a greedy one. Work O(vertices^2).
[[nodiscard]] cost estimate(graph const& g, subproblem const& s) noexcept;

}  // namespace skua::apps::bipartition
