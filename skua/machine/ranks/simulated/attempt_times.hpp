// SPDX-License-Identifier: MIT
// When a thief sends its requests while no rank has tasks for it: the pauses of process_engine as a formula.
// simulated.md has its purpose.
#pragma once

#include <algorithm>
#include <cstdint>

namespace skua { inline namespace v0 { namespace ranks {

/// Request n + 1 follows request n after the pause of n or its round trip, whichever is longer. Pauses double up to the longest.
class attempt_times {
 public:
  /// `pause_ns`: after the first request. longest_ns >= pause_ns, and one of longest_ns and round_trip_ns is above 0.
  attempt_times(std::uint64_t first_ns, std::uint64_t pause_ns, std::uint64_t longest_ns,
                std::uint64_t round_trip_ns) noexcept
      : first_ns_(first_ns), pause_ns_(pause_ns), longest_ns_(longest_ns), round_trip_ns_(round_trip_ns) {}
  attempt_times() = default;

  /// The time of request n, from 0. Cost: the number of doublings.
  [[nodiscard]] std::uint64_t at(std::uint64_t n) const noexcept {
    std::uint64_t at_ns = first_ns_;
    std::uint64_t pause_ns = pause_ns_;
    for (; n > 0 && pause_ns < longest_ns_; --n) {
      at_ns += std::max(pause_ns, round_trip_ns_);
      pause_ns = std::min(pause_ns * 2, longest_ns_);
    }
    return at_ns + n * std::max(pause_ns, round_trip_ns_);
  }

  /// The number of requests before `now_ns`. Cost: the number of doublings.
  [[nodiscard]] std::uint64_t before(std::uint64_t now_ns) const noexcept {
    std::uint64_t at_ns = first_ns_;
    std::uint64_t pause_ns = pause_ns_;
    std::uint64_t n = 0;
    for (; at_ns < now_ns && pause_ns < longest_ns_; ++n) {
      at_ns += std::max(pause_ns, round_trip_ns_);
      pause_ns = std::min(pause_ns * 2, longest_ns_);
    }
    if (at_ns >= now_ns) return n;
    std::uint64_t const step_ns = std::max(pause_ns, round_trip_ns_);
    return n + (now_ns - at_ns + step_ns - 1) / step_ns;
  }

 private:
  std::uint64_t first_ns_ = 0;
  std::uint64_t pause_ns_ = 0;
  std::uint64_t longest_ns_ = 1;
  std::uint64_t round_trip_ns_ = 0;
};

}}}  // namespace skua::v0::ranks
