// SPDX-License-Identifier: MIT
#include "skua/policy/combined/named_answers.hpp"

#include <algorithm>
#include <string>

#include "skua/parts/base/error.hpp"
#include "skua/policy/named_options.hpp"

namespace skua { inline namespace v0 { namespace policies {
namespace {

/// "adws:no-steal,spawned=plain" without what follows the comma before the next answer.
std::size_t end_of_answer(std::string_view text) noexcept {
  for (std::size_t comma = text.find(','); comma != std::string_view::npos; comma = text.find(',', comma + 1)) {
    if (!answer_of(text.substr(comma + 1)).empty()) return comma;
  }
  return text.size();
}

}  // namespace

std::optional<named_answers> answers_in(std::string_view text) {
  std::size_t const first = text.find_first_of("=:,");
  if (first == std::string_view::npos || text[first] != '=') return {};
  named_answers all;
  while (!text.empty()) {
    std::string_view const word = answer_of(text);
    if (word.empty()) {
      throw usage_error(unknown_name("answer of a policy", text.substr(0, text.find('=')),
                                     {answer_words.begin(), answer_words.end()}));
    }
    text.remove_prefix(word.size() + 1);
    std::string_view& chosen = word == "forks" ? all.forks : word == "spawned" ? all.spawned : all.nodes;
    std::size_t const end = end_of_answer(text);
    if (chosen.data() != nullptr) {
      throw usage_error("answer of a policy is '" + std::string(word) + "=" + std::string(text.substr(0, end)) +
                        "' after another " + std::string(word) + "; allowed: once");
    }
    chosen = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return all;
}

}}}  // namespace skua::v0::policies
