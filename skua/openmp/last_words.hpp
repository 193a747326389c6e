// SPDX-License-Identifier: MIT
// What this library says on stderr. Its interface has no way to report an error.
#pragma once

#include <atomic>
#include <string_view>

namespace skua { inline namespace v0 { namespace openmp {

/// Prints "libgomp-skua: WHAT: WHY" and ends the process with status 1.
[[noreturn]] void cannot_go_on(char const* what, char const* why) noexcept;
/// The program has met a construct that this library does without: the first time for `said`, prints "libgomp-skua: CALL at PLACE: WHAT". `code`: in the
/// program, where it met it.
void say_once(std::atomic_flag& said, char const* call, void const* code, char const* what) noexcept;
/// Prints "libgomp: TEXT", as GCC's library says it, and goes on; or ends the process with status 1.
void say_as_libgomp(std::string_view text) noexcept;
[[noreturn]] void end_as_libgomp(std::string_view text) noexcept;

}}}  // namespace skua::v0::openmp
