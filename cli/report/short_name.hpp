// SPDX-License-Identifier: MIT
// A task's name for people: the runtime names tasks by what the compiler calls the type of their body.
#pragma once

#include <string>
#include <string_view>

namespace skua::cli::traced {

/// "fib" of `long int fib(auto:1&, int) [with auto:1 = ...]::<lambda(auto:2&)>`, `(anonymous namespace)::sort<int*>(...)` and
/// the like: the innermost function that is not a lambda, without namespaces, arguments and what stands in brackets. A text
/// that is no such thing comes back as it is, an empty one as "(no name)".
[[nodiscard]] std::string short_name(std::string_view compilers);

}  // namespace skua::cli::traced
