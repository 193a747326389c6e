// SPDX-License-Identifier: MIT
// The time as a program sees it. On threads, serially and under the recorder it is the steady clock. A machine with
// virtual time gives its `here` one more member, now(); all code that measures programs uses it.
#pragma once

#include <concepts>

#include "skua/parts/base/durations.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// A `here` with a clock of its own. The clock never goes back inside a task, from a fork to its
/// children, or from them to their join.
template <class Here>
concept keeps_time = requires(Here& here) {
  { here.now() } noexcept -> std::same_as<std::chrono::nanoseconds>;
};

/// Time since an epoch that all tasks share. Cost: a reading of the clock.
template <class Here>
[[nodiscard]] std::chrono::nanoseconds time_at(Here& here) noexcept {
  if constexpr (keeps_time<Here>) {
    return here.now();
  } else {
    return std::chrono::steady_clock::now().time_since_epoch();
  }
}

}}}  // namespace skua::v0::runtime
