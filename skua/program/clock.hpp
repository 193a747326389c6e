// SPDX-License-Identifier: MIT
// The time as a program sees it. On threads, serially and under the recorder it is the steady clock. A machine with
// virtual time gives its `here` one more member, now(); all code that measures programs uses it. Beside it: how fast the worker
// is that spends the time.
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

/// A `here` whose workers may differ in speed; `worker_speed` is found by its argument.
template <class Here>
concept knows_speed = requires(Here const& here) {
  { worker_speed(here) } noexcept -> std::same_as<double>;
};

/// The speed of the worker that runs this, as a part of the fastest one's; 1 if all are equally fast (layout::speed_of).
template <class Here>
[[nodiscard]] double speed_at(Here const& here) noexcept {
  if constexpr (knows_speed<Here>) {
    return worker_speed(here);
  } else {
    return 1;
  }
}

}}}  // namespace skua::v0::runtime
