// SPDX-License-Identifier: MIT
// How far a self-dividing range is divided. The tags are oneTBB's; there are two behaviours behind them.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <functional>

#include "skua/program/blocked_range.hpp"
#include "skua/program/fork_join.hpp"
#include "skua/program/loop_failure.hpp"
#include "skua/program/pieces.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// Divides until the range refuses.
struct simple_partitioner {};
/// Divides until there are 8 pieces per worker, or the range refuses. The default. A blocked_range in one dimension has
/// fewer pieces if they would take less than a steal; one that takes more than eight steals is divided further while
/// thieves find nothing (run_usual_pieces). A range that can only be halved becomes up to 16 per worker, unless the
/// number of workers is a power of two.
struct auto_partitioner {};
/// Accepted; divides like auto_partitioner. Where pieces run is the policy's decision, not the loop's.
struct static_partitioner {};
/// Accepted; divides like auto_partitioner. It remembers nothing: that is the task of a policy with a memory.
struct affinity_partitioner {};

/// One of the four partitioners.
template <class P>
concept partitioner = std::same_as<P, simple_partitioner> || std::same_as<P, auto_partitioner> ||
                      std::same_as<P, static_partitioner> || std::same_as<P, affinity_partitioner>;

/// The number of pieces into which a range is divided; 0: as many as it allows.
template <self_dividing Range, fork_join Here>
constexpr std::uint32_t pieces_of(Here const& here, bool fully) noexcept {
  if (fully) return 0;
  std::uint32_t const usual = usual_pieces(here.num_workers());
  return splits_in_proportion<Range> ? usual : std::bit_ceil(usual);
}

/// Takes the right side of the cut from `range` and leaves it the left.
template <self_dividing Range>
Range right_side(Range& range, cut c) {
  if constexpr (splits_in_proportion<Range>) {
    proportional_split proportion = c.halves() ? proportional_split() : proportional_split(c.left, c.right);
    return Range(range, proportion);
  } else {
    return Range(range, split{});
  }
}

/// Joins the two sides of a cut of such a range.
template <self_dividing Range, fork_join Here, class Left, class Right>
auto join_sides_of(Here& here, cut c, Left const& left, Right const& right) {
  if constexpr (splits_in_proportion<Range>) {
    return here.join(c.left_work(), left, c.right_work(), right);
  } else {
    return here.join(left, right);
  }
}

/// A part of `divide`.
template <fork_join Here, self_dividing Range, class Body>
void divide_of(Here& here, Range& range, std::uint32_t pieces, Body const& body, loop_failure& all) {
  if (pieces == 1 || !range.is_divisible()) {
    if (range.empty()) return;
    all.call_leaf(here, [&] { std::invoke(body, range); });
    return;
  }
  cut const c = cut::of(pieces);
  Range right = right_side(range, c);
  join_sides_of<Range>(
      here, c, [&](Here& h) { divide_of(h, range, c.left, body, all); },
      [&](Here& h) { divide_of(h, right, c.right, body, all); });
}

/// Calls body(piece) for every piece of the range, each once, in any order; nothing for an empty range.
template <fork_join Here, self_dividing Range, class Body>
void divide(Here& here, Range& range, std::uint32_t pieces, Body const& body) {
  loop_failure all;
  divide_of(here, range, pieces, body, all);
}

}}}  // namespace skua::v0::runtime

namespace skua { inline namespace v0 {

using runtime::affinity_partitioner;
using runtime::auto_partitioner;
using runtime::partitioner;
using runtime::simple_partitioner;
using runtime::static_partitioner;

}}  // namespace skua::v0
