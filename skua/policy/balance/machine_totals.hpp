// SPDX-License-Identifier: MIT
// What every rank knows of all loads: their sum, the longest task, the largest load.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "skua/policy/balance/loads.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace balance {

/// Combined in any order it is the same, so that every rank computes the same average, bit for bit: the sum is one of integers, of 128
/// bits.
struct machine_totals {
  std::uint64_t sum_low = 0;
  std::uint64_t sum_high = 0;
  load_ns longest = 0;  ///< task
  load_ns most = 0;     ///< load of a rank

  /// Of one rank.
  [[nodiscard]] static machine_totals of(std::span<load_ns const> tasks) noexcept {
    machine_totals own;
    for (load_ns const t : tasks) {
      own.most = plus(own.most, t);
      own.longest = std::max(own.longest, t);
    }
    own.sum_low = own.most;
    return own;
  }

  void add(machine_totals const& other) noexcept {
    sum_low += other.sum_low;
    sum_high += other.sum_high + (sum_low < other.sum_low ? 1 : 0);
    longest = std::max(longest, other.longest);
    most = std::max(most, other.most);
  }

  /// The load of a rank, on average.
  [[nodiscard]] double average(std::size_t ranks) const noexcept {
    return (std::ldexp(static_cast<double>(sum_high), 64) + static_cast<double>(sum_low)) / static_cast<double>(ranks);
  }
};

}}}}  // namespace skua::v0::policies::balance
