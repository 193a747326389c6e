// SPDX-License-Identifier: MIT
// A subproblem of branch and bound: some vertices have their side, the others are open. Its bound follows Clausen and
// Traeff (Implementation of parallel branch-and-bound algorithms, 1991), with an improvement for dense graphs.
// [strategies-2013 4]
//
// bound: an open vertex v costs at least
//   * in A: the weight of its edges into B, and half of inner_a: of the other open vertices room_b go to B, so v cuts at
//     least its room_b lightest connections among the open ones, where a missing edge is a connection of weight 0;
//   * in B: the same with A and B exchanged.
// It is half of inner because the other end of such an edge counts it too. Of all ways to put room_a open vertices into A,
// the cheapest sum is found by selection on the differences. It is exact once a side is full: then inner is 0 for all.
#pragma once

#include "apps/bipartition/graph.hpp"

namespace skua::apps::bipartition {

struct subproblem {
  vertex_set a = 0;
  vertex_set b = 0;
  cost cut = 0;            ///< weight of the edges between a and b
  cost lower = 0;          ///< no completion cuts less
  cost estimate = 0;       ///< the cut of one completion: a greedy one
  std::uint32_t next = 0;  ///< the open vertex to branch on

  [[nodiscard]] vertex_set open(graph const& g) const noexcept { return g.all() & ~(a | b); }
  /// One completion is left.
  [[nodiscard]] bool solved(graph const& g) const noexcept {
    return size(a) == g.size_of_a() || size(b) == g.size_of_b();
  }
  /// Side A of the only completion.
  [[nodiscard]] vertex_set solution(graph const& g) const noexcept {
    return size(a) == g.size_of_a() ? a : g.all() & ~b;
  }
};

/// The graph with these vertices on their sides. Work O(vertices^2).
[[nodiscard]] subproblem bounded(graph const& g, vertex_set a, vertex_set b, cost cut) noexcept;

/// Every partition is a completion of it, but for exchanged sides: if these are equally large, vertex 0 is in A.
[[nodiscard]] subproblem whole(graph const& g) noexcept;

enum class side : std::uint8_t { a, b };

/// s with its vertex `next` on a side. s is not solved.
[[nodiscard]] subproblem with_next(graph const& g, subproblem const& s, side where) noexcept;

}  // namespace skua::apps::bipartition
