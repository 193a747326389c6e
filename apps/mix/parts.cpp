// SPDX-License-Identifier: MIT
#include "apps/mix/parts.hpp"

#include <algorithm>
#include <string>

#include "apps/checks.hpp"
#include "apps/parse_options.hpp"

namespace skua::apps::mix {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\n";
  auto const begin = std::min(text.find_first_not_of(blanks), text.size());
  return text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

entry const& entry_named(std::string_view name) {
  std::string allowed;
  for (entry const& e : all()) {
    if (e.name == "mix") continue;
    if (e.name == name) return e;
    allowed += (allowed.empty() ? "" : ", ") + std::string(e.name);
  }
  throw usage_error("mix: --of names '" + std::string(name) + "'; allowed: " + allowed);
}

std::unique_ptr<app> part_of(std::string_view text) {
  auto const end_of_name = std::min(text.find(' '), text.size());
  auto made = entry_named(text.substr(0, end_of_name)).make();
  try {
    parse_options(std::string(text.substr(end_of_name)), made->options());
  } catch (usage_error const& fault) {
    throw usage_error("mix: --of '" + std::string(text) + "': " + fault.what());
  }
  return made;
}

}  // namespace

std::vector<std::unique_ptr<app>> parts_in(std::string_view text) {
  std::vector<std::unique_ptr<app>> parts;
  for (;;) {
    auto const comma = std::min(text.find(','), text.size());
    parts.push_back(part_of(trimmed(text.substr(0, comma))));
    if (comma == text.size()) break;
    text.remove_prefix(comma + 1);
  }
  require_between("mix: the number of apps in --of", static_cast<std::int64_t>(parts.size()), 2, 16);
  return parts;
}

}  // namespace skua::apps::mix
