// SPDX-License-Identifier: MIT
// Letters of settings and of names of variables, whatever the locale.
#pragma once

#include <string>
#include <string_view>

namespace skua { inline namespace v0 { namespace runtime {

/// `text` with a to z for A to Z.
[[nodiscard]] inline std::string lower(std::string_view text) {
  std::string all{text};
  for (char& c : all) c = 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return all;
}

}}}  // namespace skua::v0::runtime
