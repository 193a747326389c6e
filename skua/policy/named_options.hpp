// SPDX-License-Identifier: MIT
// The grammar of names with options, NAME or NAME:OPTION,OPTION where an option is WORD or WORD=VALUE, and its errors. The
// registries of policies and of balancers share it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "skua/policy/setup.hpp"

namespace skua { inline namespace v0 { namespace policies {

/// A word that may follow a name, and one line that says what it does and which values it takes.
struct known_option {
  std::string_view word;
  std::string_view about;
  bool bare = false;  ///< it is chosen by its word alone
};

/// The owner of the options; errors begin with it: "option 'arity' of balancer 'hierarchical' is ...".
struct option_owner {
  std::string_view kind;  ///< "policy", "balancer"
  std::string_view name;
};

/// "WHAT is 'TYPED'; allowed: a, b; did you mean 'b'?"
[[nodiscard]] std::string unknown_name(std::string const& what, std::string_view typed,
                                       std::vector<std::string_view> const& known);

/// "a=1,b" as options, each known and none twice. Throws usage_error.
[[nodiscard]] std::vector<chosen_option> chosen_options(option_owner of, std::span<known_option const> known,
                                                        std::string_view text);

// Readers of an option's value. All throw usage_error with what is allowed.

[[nodiscard]] std::uint32_t whole_number(option_owner of, chosen_option const& o, std::uint32_t least,
                                         std::uint32_t most);
/// A decimal fraction, `least` to `most`.
[[nodiscard]] double number(option_owner of, chosen_option const& o, double least, double most);
/// The position of the value among the words that it may be.
[[nodiscard]] std::size_t word_of(option_owner of, chosen_option const& o, std::span<std::string_view const> words);

}}}  // namespace skua::v0::policies
