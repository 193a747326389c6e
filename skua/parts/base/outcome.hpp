// SPDX-License-Identifier: MIT
// How an attempt to take a task ended. A failed steal says why, because the thief acts on it.
#pragma once

#include <cstdint>

namespace skua::runtime {

enum class outcome : std::uint8_t {
  got,     ///< a task
  empty,   ///< nothing there: go away
  lost,    ///< somebody was faster: trying again may pay
  barred,  ///< there is something, but not for this worker
};

}  // namespace skua::runtime
