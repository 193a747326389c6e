// SPDX-License-Identifier: MIT
// What readers of files say of texts that they refuse.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>

#include "skua/parts/base/error.hpp"

namespace skua::apps {

/// Texts, and what a reader says of each.
using sayings = std::initializer_list<std::pair<std::string, char const*>>;

/// What the usage_error says that f() throws; "accepted" if it throws none.
template <class F>
std::string said_by(F&& f) {
  try {
    static_cast<void>(f());
  } catch (usage_error const& refused) {
    return refused.what();
  }
  return "accepted";
}

}  // namespace skua::apps
