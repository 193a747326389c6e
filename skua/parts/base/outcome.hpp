// SPDX-License-Identifier: MIT
// The outcome of an attempt to take a task. A failed steal says why, because the thief acts on it.
#pragma once

#include <cstdint>

namespace skua { inline namespace v0 { namespace runtime {

enum class outcome : std::uint8_t {
  got,     ///< a task
  empty,   ///< nothing there: try elsewhere
  lost,    ///< another thread was faster: a retry may pay
  barred,  ///< there are tasks, but none for this worker
};

}}}  // namespace skua::v0::runtime
