// SPDX-License-Identifier: MIT
#include "cli/names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "skua/parts/base/error.hpp"
#include "skua/policy/nearest_name.hpp"

namespace skua::cli {

std::string joined(std::vector<std::string_view> const& names) { return fmt::format("{}", fmt::join(names, ", ")); }

std::string unknown(std::string_view kind, std::string_view typed, std::vector<std::string_view> const& known) {
  std::string said = fmt::format("unknown {} '{}'; known: {}", kind, typed, joined(known));
  std::string_view const nearest = nearest_name(typed, known);
  if (!nearest.empty()) said += fmt::format(" (did you mean '{}'?)", nearest);
  return said;
}

std::vector<std::string> items_of(std::string_view option, std::string_view list) {
  std::vector<std::string> items;
  for (std::string_view rest = list;;) {
    auto const comma = rest.find(',');
    std::string_view item = rest.substr(0, comma);
    auto const first = item.find_first_not_of(" \t");
    if (first == std::string_view::npos) {
      throw usage_error(
          fmt::format("{} '{}': an item is missing; write names or numbers with commas between them", option, list));
    }
    item = item.substr(first, item.find_last_not_of(" \t") - first + 1);
    items.emplace_back(item);
    if (comma == std::string_view::npos) return items;
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace skua::cli
