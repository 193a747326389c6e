// SPDX-License-Identifier: MIT
// The two sentences of every app: an input is not allowed, and an answer is wrong.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "skua/parts/base/error.hpp"

namespace skua::apps {

/// Throws usage_error unless least <= value <= most.
inline void require_between(std::string_view what, std::integral auto number, std::int64_t least, std::int64_t most) {
  auto const value = static_cast<std::int64_t>(number);
  if (least <= value && value <= most) return;
  throw usage_error(std::string(what) + " is " + std::to_string(value) + "; allowed: " + std::to_string(least) +
                    " to " + std::to_string(most));
}

/// The same for real numbers; NaN is not between.
inline void require_between(std::string_view what, std::floating_point auto value, double least, double most) {
  if (least <= value && value <= most) return;
  std::array<char, 100> range{};  // %g writes at most 13 characters
  std::snprintf(range.data(), range.size(), " is %g; allowed: %g to %g", value, least, most);
  throw usage_error(std::string(what) + range.data());
}

/// The position of `word` in `words`. Throws usage_error with the list of them if it is none of them.
inline std::size_t require_one_of(std::string_view what, std::span<std::string_view const> words,
                                  std::string_view word) {
  std::string allowed;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == word) return i;
    allowed += (i == 0 ? "" : ", ") + std::string(words[i]);
  }
  throw usage_error(std::string(what) + " is '" + std::string(word) + "'; allowed: " + allowed);
}

/// Compares a run's count with the right one: empty if equal, else one line. No count: there was no run.
inline std::string differs(std::string_view what, std::optional<std::uint64_t> got, std::uint64_t right) {
  if (!got) return std::string(what) + ": no run yet";
  if (*got == right) return {};
  return std::string(what) + ": got " + std::to_string(*got) + ", right is " + std::to_string(right);
}

}  // namespace skua::apps
