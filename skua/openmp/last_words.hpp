// SPDX-License-Identifier: MIT
// What this library says on stderr. Its interface has no way to report an error.
#pragma once

#include <string_view>

namespace skua { inline namespace v0 { namespace openmp {

/// Prints "libgomp-skua: WHAT: WHY" and ends the process with status 1.
[[noreturn]] void cannot_go_on(char const* what, char const* why) noexcept;
/// The program needs what this library does not have, and has no serial answer for.
[[noreturn]] void refuse(char const* what) noexcept;
/// Prints "libgomp: TEXT", as GCC's library says it, and goes on; or ends the process with status 1.
void say_as_libgomp(std::string_view text) noexcept;
[[noreturn]] void end_as_libgomp(std::string_view text) noexcept;

}}}  // namespace skua::v0::openmp
