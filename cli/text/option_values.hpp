// SPDX-License-Identifier: MIT
// Values that a user types on the command line: names, numbers and lists of them. Every refusal reads "WHAT is 'VALUE';
// allowed: ...", and for a name that is nearly right "; did you mean 'NAME'?".
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
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
/// Throws usage_error "OPTION is given without OTHER; allowed: only with OTHER, because WHY".
[[noreturn]] void refuse_without(std::string_view option, std::string_view other, std::string_view why);

/// Decimal digits only, least .. most. Throws usage_error.
[[nodiscard]] std::uint32_t read_whole_number(std::string_view option, std::string_view text, std::uint32_t least,
                                              std::uint32_t most);

/// The whole text as a finite number; none: it is something else.
[[nodiscard]] std::optional<double> number_in(std::string_view text);
/// The same, least .. most. Throws usage_error that says what is `allowed`.
[[nodiscard]] double read_number(std::string_view option, std::string_view text, double least, double most,
                                 std::string_view allowed);

/// The items of "a,b,c" without surrounding blanks. Throws usage_error for an empty item.
[[nodiscard]] std::vector<std::string> items_of(std::string_view option, std::string_view list);
/// The same, and "none" is the empty list.
[[nodiscard]] std::vector<std::string> names_in(std::string_view option, std::string_view list);
/// Throws usage_error unless each policy exists, takes its options, and is there once. A policy's options are separated
/// by commas, too: an item that is WORD=VALUE, or an option of the policy before it, belongs to that policy.
[[nodiscard]] std::vector<std::string> policies_in(std::string_view option, std::string_view list);
/// The same for balancers.
[[nodiscard]] std::vector<std::string> balancers_in(std::string_view option, std::string_view list);

/// Appends `item`. Throws usage_error "OPTION is 'LIST'; ..." if it is there already: whoever lists something twice
/// expects two rows.
template <class T>
void add_new(std::vector<T>& all, T item, std::string_view option, std::string_view list) {
  if (std::ranges::find(all, item) != all.end()) refuse(option, list, "each item once");
  all.push_back(std::move(item));
}

/// Appends `item` unless it is there already. For numbers: a script that asks for 1 and for all may ask for 1 twice.
template <class T>
void add_once(std::vector<T>& all, T item) {
  if (std::ranges::find(all, item) == all.end()) all.push_back(std::move(item));
}

}  // namespace skua::cli
