// SPDX-License-Identifier: MIT
// Values that a user types on the command line: names, numbers and lists of them. Every refusal reads "WHAT is 'VALUE';
// allowed: ...", and for a name that is nearly right "; did you mean 'NAME'?".
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace skua::cli {

/// "a, b, c"
[[nodiscard]] std::string joined(std::vector<std::string_view> const& names);

/// Throws usage_error "WHAT is 'VALUE'; allowed: ALLOWED".
[[noreturn]] void refuse(std::string_view what, std::string_view value, std::string_view allowed);
/// The sentence about a name that does not exist: "WHAT is 'TYPED'; allowed: a, b; did you mean 'b'?"
[[nodiscard]] std::string unknown_name(std::string_view what, std::string_view typed,
                                       std::vector<std::string_view> const& names);
/// Throws it as usage_error.
[[noreturn]] void refuse_name(std::string_view what, std::string_view typed,
                              std::vector<std::string_view> const& names);
/// Throws usage_error "OPTION is given with OTHER; allowed: one of them, because WHY".
[[noreturn]] void refuse_together(std::string_view option, std::string_view other, std::string_view why);

/// Decimal digits only, least .. most. Throws usage_error.
[[nodiscard]] std::uint32_t read_whole_number(std::string_view option, std::string_view text, std::uint32_t least,
                                              std::uint32_t most);

/// The items of "a,b,c" without surrounding blanks. Throws usage_error for an empty item.
[[nodiscard]] std::vector<std::string> items_of(std::string_view option, std::string_view list);
/// The same, and "none" is the empty list.
[[nodiscard]] std::vector<std::string> names_in(std::string_view option, std::string_view list);
/// Policies, each once; throws usage_error unless each exists and takes its options. A policy's options are separated
/// by commas, too: an item WORD=VALUE belongs to the policy before it.
[[nodiscard]] std::vector<std::string> policies_in(std::string_view option, std::string_view list);

/// Appends `item` unless it is there already: an item that is listed twice counts once.
template <class T>
void add_once(std::vector<T>& all, T item) {
  if (std::ranges::find(all, item) == all.end()) all.push_back(std::move(item));
}

}  // namespace skua::cli
