// SPDX-License-Identifier: MIT
// Names that a user types: lists of them, and what to say of one that does not exist.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace skua::cli {

/// "a, b and c"-style lists are for prose; this is "a, b, c".
[[nodiscard]] std::string joined(std::vector<std::string_view> const& names);
/// "unknown KIND 'typed'; known: a, b (did you mean 'b'?)"
[[nodiscard]] std::string unknown(std::string_view kind, std::string_view typed,
                                  std::vector<std::string_view> const& known);
/// The items of "a,b,c" without surrounding blanks. Throws usage_error for an empty item.
[[nodiscard]] std::vector<std::string> items_of(std::string_view option, std::string_view list);

}  // namespace skua::cli
