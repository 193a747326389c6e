// SPDX-License-Identifier: MIT
// Something with a bandwidth that is served in the order of events: the memory of a node, a link. What arrives waits for
// what arrived before and for nothing else, so a queue is one number. Nobody reserves time in the future: with that,
// a single early reservation would keep everybody else from bandwidth that nobody uses.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "skua/machine/sim/costs.hpp"

namespace skua::sim {

inline constexpr double ticks_per_ns = 1000;

/// Invariant (work conserving): between two arrivals it is idle only if everything was served. Hence `bytes` in a row take
/// bytes / bandwidth, however they are cut up.
class memory_queue {
 public:
  explicit memory_queue(double bytes_per_ns) noexcept : ticks_per_byte_(ticks_per_ns / bytes_per_ns) {}

  /// They arrive at `now` (not before the last that arrived): when the last of them is through.
  tick serve(tick now, std::uint64_t bytes) noexcept {
    busy_until_ = std::max(busy_until_, static_cast<double>(now)) + length(bytes);
    served_ += bytes;
    return static_cast<tick>(std::ceil(busy_until_));
  }

  /// How many ticks so many bytes take alone.
  [[nodiscard]] double length(std::uint64_t bytes) const noexcept {
    return static_cast<double>(bytes) * ticks_per_byte_;
  }
  /// Since it was made.
  [[nodiscard]] std::uint64_t served_bytes() const noexcept { return served_; }

 private:
  double ticks_per_byte_;
  std::uint64_t served_ = 0;
  double busy_until_ = 0;  ///< in ticks; below 2^53 exact to less than a tick: 2.5 hours
};

}  // namespace skua::sim
