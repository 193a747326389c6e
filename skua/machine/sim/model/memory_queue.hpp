// SPDX-License-Identifier: MIT
// A resource with a bandwidth, the memory of a node or a link, that serves requests in the order of events. A request
// waits for those that arrived before it and for nothing else, so a queue is one number. Requests never reserve future
// time: a single early reservation would keep all others from bandwidth that stands idle.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "skua/machine/sim/costs.hpp"

namespace skua { inline namespace v0 { namespace sim {

inline constexpr double ticks_per_ns = 1000;

/// Invariant (work conserving): between two arrivals the queue is idle only if it has served everything. Hence `bytes`
/// in a row take bytes / bandwidth, however they are split.
class memory_queue {
 public:
  explicit memory_queue(double bytes_per_ns) noexcept : ticks_per_byte_(ticks_per_ns / bytes_per_ns) {}

  /// `bytes` arrive at `now` (never before an earlier arrival). Returns when the last of them has passed.
  tick serve(tick now, std::uint64_t bytes) noexcept {
    busy_until_ = std::max(busy_until_, static_cast<double>(now)) + length(bytes);
    served_ += bytes;
    return static_cast<tick>(std::ceil(busy_until_));
  }

  /// The ticks that `bytes` take in an empty queue.
  [[nodiscard]] double length(std::uint64_t bytes) const noexcept {
    return static_cast<double>(bytes) * ticks_per_byte_;
  }
  /// Since construction.
  [[nodiscard]] std::uint64_t served_bytes() const noexcept { return served_; }

 private:
  double ticks_per_byte_;
  std::uint64_t served_ = 0;
  double busy_until_ = 0;  ///< in ticks; below 2^53 exact to less than a tick: 2.5 hours
};

}}}  // namespace skua::v0::sim
