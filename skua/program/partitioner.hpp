// SPDX-License-Identifier: MIT
// How far a self-dividing range is divided. The tags are oneTBB's; there are two behaviours behind them.
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstdint>
#include <functional>

#include "skua/program/blocked_range.hpp"
#include "skua/program/cancel.hpp"
#include "skua/program/fork_join.hpp"

namespace skua::runtime {

/// Divides until the range refuses.
struct simple_partitioner {};
/// Divides until there are 8 to 16 pieces per worker, or the range refuses. The default.
struct auto_partitioner {};
/// Accepted; divides like auto_partitioner. Where pieces run is the policy's decision, not the loop's.
struct static_partitioner {};
/// Accepted; divides like auto_partitioner. It remembers nothing: that is the task of a policy with a memory.
struct affinity_partitioner {};

template <class P>
concept partitioner = std::same_as<P, simple_partitioner> || std::same_as<P, auto_partitioner> ||
                      std::same_as<P, static_partitioner> || std::same_as<P, affinity_partitioner>;

/// How many nested halvings a range may undergo.
template <partitioner P, fork_join Here>
constexpr unsigned halvings(Here const& here) noexcept {
  if constexpr (std::same_as<P, simple_partitioner>) {
    return ~0U;
  } else {
    return static_cast<unsigned>(std::bit_width(std::uint64_t{8} * std::max<std::uint32_t>(1, here.workers()) - 1));
  }
}

/// Calls body(piece) for every piece of the range, each once, in any order; nothing for an empty range.
template <fork_join Here, self_dividing Range, class Body>
void divide(Here& here, Range& range, unsigned depth, Body const& body) {
  if (depth == 0 || !range.is_divisible()) {
    if (range.empty()) return;
    throw_if_stopped(here);
    std::invoke(body, range);
    return;
  }
  Range right(range, split{});
  here.join([&](Here& h) { divide(h, range, depth - 1, body); }, [&](Here& h) { divide(h, right, depth - 1, body); });
}

}  // namespace skua::runtime

namespace skua {

using runtime::affinity_partitioner;
using runtime::auto_partitioner;
using runtime::partitioner;
using runtime::simple_partitioner;
using runtime::static_partitioner;

}  // namespace skua
