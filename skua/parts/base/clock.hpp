// SPDX-License-Identifier: MIT
// The monotonic clock as a number.
#pragma once

#include <cstdint>

#include "skua/parts/base/durations.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// Nanoseconds of the monotonic clock; about 20 ns to read.
[[nodiscard]] inline std::uint64_t clock_ns(
    std::chrono::steady_clock::time_point t = std::chrono::steady_clock::now()) noexcept {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(t.time_since_epoch()).count());
}

}}}  // namespace skua::v0::runtime
