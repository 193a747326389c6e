// SPDX-License-Identifier: MIT
// What time is it where a program stands? On threads, serially and under the recorder: on the steady clock. A machine
// whose time is virtual gives its `here` one more member, now(), and everything that measures programs uses that.
#pragma once

#include <chrono>
#include <concepts>

namespace skua {

/// A `here` with a clock of its own. It never goes back along a strand, from a fork to its children, or from them to
/// their join.
template <class Here>
concept keeps_time = requires(Here& here) {
  { here.now() } noexcept -> std::same_as<std::chrono::nanoseconds>;
};

/// Since some moment that is the same for all. Cost: a reading of the clock.
template <class Here>
[[nodiscard]] std::chrono::nanoseconds time_at(Here& here) noexcept {
  if constexpr (keeps_time<Here>) {
    return here.now();
  } else {
    return std::chrono::steady_clock::now().time_since_epoch();
  }
}

}  // namespace skua
