// SPDX-License-Identifier: MIT
// Whether code may have variables of each thread: threadprivate ones and thread_local ones look the same.
#pragma once

namespace skua { inline namespace v0 { namespace openmp {

/// True if the executable or library that has this function also has thread-local variables. Cost: that of a look at all objects, once for each function
/// that follows another one on a thread.
[[nodiscard]] bool may_have_thread_locals(void (*function)(void*)) noexcept;

}}}  // namespace skua::v0::openmp
