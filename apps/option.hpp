// SPDX-License-Identifier: MIT
// What an app lets its user choose, as a table: a row per option. The table says what is allowed and does not read text;
// parse_options.hpp does.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "apps/ways.hpp"

namespace skua::apps {

/// What the value of an option may be: anything, a whole number, a number, or a word.
struct no_limits {};
struct whole_limits {
  std::int64_t least;
  std::int64_t most;
};
struct real_limits {
  double least;
  double most;
};
struct word_limits {
  std::span<std::string_view const> words;
};
using option_limits = std::variant<no_limits, whole_limits, real_limits, word_limits>;

constexpr option_limits between(std::integral auto least, std::integral auto most) {
  return whole_limits{static_cast<std::int64_t>(least), static_cast<std::int64_t>(most)};
}
/// NaN is not between.
constexpr option_limits between(std::floating_point auto least, std::floating_point auto most) {
  return real_limits{least, most};
}
constexpr option_limits one_of(std::span<std::string_view const> words) { return word_limits{words}; }

/// The member that holds the default and takes the value. A bool is a flag. An optional has no default to show.
using option_value = std::variant<bool*, std::int64_t*, std::uint64_t*, double*, std::string*,
                                  std::optional<std::int64_t>*, std::optional<double>*, std::optional<std::string>*>;

/// What --hints may be of an app whose tasks can say their work: false or true.
inline constexpr std::array<std::string_view, 2> hint_words{"none", "work"};

/// Where an option counts for nothing: in some ways to run the app, or beside another option.
struct without_effect {
  ways in = ways::none;
  std::string_view beside = {};  ///< the first name of the other option
  std::string_view why;
};

/// One row: {"--leaf-columns,--leaf-cols", &columns_, between(32, 4096), "most columns of a leaf"}.
struct option {
  option(std::string_view all_names, option_value into, option_limits within, std::string_view about,
         bool in_facts = true)
      : names(all_names), value(into), limits(within), help(about), is_fact(in_facts) {}
  option(std::string_view all_names, option_value into, std::string_view about)
      : option(all_names, into, no_limits{}, about) {}

  std::string_view names;  ///< with a comma between each two; messages use the first
  option_value value;
  option_limits limits;
  std::string_view help;
  bool is_fact;  ///< an app says it of a run
  std::vector<without_effect> unused = {};
};

/// What messages call it.
[[nodiscard]] std::string_view first_name(option const& of);

/// Throws usage_error, in the name of the app, for the first value outside its limits. An option without a value has none.
void require_allowed(std::string_view app, std::span<option const> options);

/// What the word of an option stands for: an enum in the order of `words`, of which it is one.
template <class Meaning>
[[nodiscard]] Meaning meaning_of(std::string_view word, std::span<std::string_view const> words) {
  std::size_t i = 0;
  while (i + 1 < words.size() && words[i] != word) ++i;
  return static_cast<Meaning>(i);
}

}  // namespace skua::apps
