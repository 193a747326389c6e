// SPDX-License-Identifier: MIT
// Lists on the command line: policies with their options, and what is named twice is meant once.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace skua::cli {

template <class T>
void add_once(std::vector<T>& all, T item) {
  if (std::ranges::find(all, item) == all.end()) all.push_back(std::move(item));
}

/// "none" is the empty list. Throws as items_of.
[[nodiscard]] std::vector<std::string> names_in(std::string_view option, std::string const& list);

/// Each is known and well formed, or usage_error is thrown. A policy's options have commas between them, too: an item
/// WORD=VALUE belongs to the policy before it.
[[nodiscard]] std::vector<std::string> policies_in(std::string_view option, std::string const& list);

}  // namespace skua::cli
