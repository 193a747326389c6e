// SPDX-License-Identifier: MIT
// The time at which a program's code runs: the clock's, or in the simulator the virtual time.
#pragma once

#include <cstdint>

#include "skua/parts/base/clock.hpp"

namespace skua::apps {

/// Nanoseconds since some moment before the run.
template <class Here>
[[nodiscard]] std::uint64_t now_ns(Here const& here) noexcept {
  if constexpr (requires { virtual_ns(here); }) {
    return virtual_ns(here);
  } else {
    return runtime::clock_ns();
  }
}

}  // namespace skua::apps
