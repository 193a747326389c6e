// SPDX-License-Identifier: MIT
#include "skua/parts/base/toml_depth.hpp"

#include <algorithm>

namespace skua { inline namespace v0 { namespace runtime {
namespace {

/// Past the string that begins at `at`; an unfinished one ends with its line, or with the text if it has three quotes.
std::size_t past_string(std::string_view text, std::size_t at) noexcept {
  char const quote = text[at];
  char const thrice[] = {quote, quote, quote};
  bool const is_long = text.substr(at, 3) == std::string_view(thrice, 3);
  std::size_t const quotes = is_long ? 3 : 1;
  for (std::size_t i = at + quotes; i < text.size(); ++i) {
    if (text[i] == '\\' && quote == '"') {
      ++i;
    } else if (text.substr(i, quotes) == std::string_view(thrice, quotes)) {
      return i + quotes;
    } else if (text[i] == '\n' && !is_long) {
      return i;
    }
  }
  return text.size();
}

}  // namespace

std::uint32_t line_of_deep_key(std::string_view text) noexcept {
  constexpr std::string_view between_keys = "=,{}[]\n";
  std::uint32_t parts = 1;
  for (std::size_t i = 0; i < text.size();) {
    char const c = text[i];
    if (c == '"' || c == '\'') {
      i = past_string(text, i);
      continue;
    }
    if (c == '#') {
      i = std::min(text.find('\n', i), text.size());
      continue;
    }
    if (between_keys.find(c) != std::string_view::npos) parts = 1;
    if (c == '.' && ++parts > most_key_parts)
      return static_cast<std::uint32_t>(1 + std::ranges::count(text.substr(0, i), '\n'));
    ++i;
  }
  return 0;
}

}}}  // namespace skua::v0::runtime
