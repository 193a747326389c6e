// SPDX-License-Identifier: MIT
#include "skua/parts/base/unknown_variables.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

#include "skua/parts/base/ascii.hpp"
#include "skua/parts/base/nearest_name.hpp"

namespace skua { inline namespace v0 { namespace runtime {
namespace {

constexpr std::string_view prefix = "SKUA_";
constexpr std::array<std::string_view, 13> known{"WORKERS", "PLACES",     "PARTITIONS", "HISTORY", "PIN",
                                                 "POLICY",  "SPIN",       "STALL",      "STACK",   "PROGRESS_THREAD",
                                                 "TRACE",   "TRACE_SIZE", "COUNT_FORKS"};

/// `rest` is the name without the prefix.
std::string sentence_about(std::string_view rest) {
  std::string text = std::string{prefix} + std::string{rest} + " is set, but Skua reads only ";
  std::vector<std::string> words;  // nearest_name ignores the case of what was typed only
  for (std::size_t i = 0; i < known.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == known.size() ? " and " : ", ") + std::string{prefix} + std::string{known[i]};
    words.push_back(lower(known[i]));
  }
  std::string_view const nearest = nearest_name(rest, {words.begin(), words.end()});
  if (nearest.empty()) return text;
  auto const which = std::ranges::find(words, nearest) - words.begin();
  return text + "; did you mean " + std::string{prefix} + std::string{known[static_cast<std::size_t>(which)]} + "?";
}

}  // namespace

std::vector<std::string> about_unknown_variables(char const* const* variables) {
  std::vector<std::string> all;
  for (; variables != nullptr && *variables != nullptr; ++variables) {
    std::string_view const variable = *variables;
    if (!variable.starts_with(prefix)) continue;
    std::string_view const name = variable.substr(0, variable.find('='));
    std::string_view const rest = name.substr(prefix.size());
    bool const is_blank = variable.find_first_not_of(" \t\r\n", name.size() + 1) == std::string_view::npos;
    if (!is_blank && std::ranges::find(known, rest) == known.end()) all.push_back(sentence_about(rest));
  }
  return all;
}

void warn_of_unknown_variables() {
  [[maybe_unused]] static bool const warned = [] {
    for (std::string const& sentence : about_unknown_variables(environ))
      std::fputs(("skua: note: " + sentence + "\n").c_str(), stderr);
    return true;
  }();
}

}}}  // namespace skua::v0::runtime
