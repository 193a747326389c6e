// SPDX-License-Identifier: MIT
// Variables of the environment that begin with SKUA_ and that Skua does not read: most are typing errors, and without
// this message a program would silently run with other settings than its user believes.
#pragma once

#include <string>
#include <vector>

namespace skua { inline namespace v0 { namespace runtime {

/// One sentence per variable of `variables` ("NAME=VALUE", ends with a null pointer) that begins with SKUA_ and is
/// none of options.hpp's. A variable set to nothing but spaces counts as unset, as there.
[[nodiscard]] std::vector<std::string> about_unknown_variables(char const* const* variables);

/// Writes them to standard error, the first time in this process. Like getenv: not while another thread calls setenv.
void warn_of_unknown_variables();

}}}  // namespace skua::v0::runtime
