// SPDX-License-Identifier: MIT
// The grammar of combined policies: ANSWER=NAME:OPTION,OPTION,ANSWER=NAME.. with the answers forks, spawned and nodes, in any order.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace skua { inline namespace v0 { namespace policies {

inline constexpr std::array<std::string_view, 3> answer_words{"forks", "spawned", "nodes"};

/// What the user typed for each answer, NAME:OPTION,OPTION; empty: nothing.
struct named_answers {
  std::string_view forks;
  std::string_view spawned;
  std::string_view nodes;
};

/// The answer with which the item of a list begins, as in "forks=adws"; else empty.
[[nodiscard]] constexpr std::string_view answer_of(std::string_view item) noexcept {
  for (std::string_view const word : answer_words) {
    if (item.starts_with(word) && item.substr(word.size()).starts_with('=')) return word;
  }
  return {};
}

/// Returns nothing if the text does not begin as an answer does, with WORD=. Throws usage_error for a word that is no answer,
/// and for an answer that is given twice.
[[nodiscard]] std::optional<named_answers> answers_in(std::string_view text);

}}}  // namespace skua::v0::policies
