// SPDX-License-Identifier: MIT
#include "skua/parts/base/nearest_name.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>

namespace skua { inline namespace v0 { namespace runtime {
namespace {

/// Levenshtein's distance, one row at a time.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      std::size_t const changed = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string_view nearest_name(std::string_view as_typed, std::vector<std::string_view> const& known) {
  constexpr std::size_t longest = 64;  // longer than every name with its likely typing errors
  if (as_typed.empty() || as_typed.size() > longest) return {};
  std::string typed{as_typed};
  for (char& c : typed) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  std::string_view best;
  std::size_t best_edits = longest + 1;
  for (std::string_view const name : known) {
    std::size_t const e = name.starts_with(typed) ? 0 : edits(typed, name);
    if (e < best_edits && 3 * e <= name.size() + 2) {
      best = name;
      best_edits = e;
    }
  }
  return best;
}

}}}  // namespace skua::v0::runtime
