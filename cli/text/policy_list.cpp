// SPDX-License-Identifier: MIT
#include "cli/policy_list.hpp"

#include <fmt/format.h>

#include "cli/names.hpp"
#include "skua/parts/topology/layout.hpp"
#include "skua/policy/registry.hpp"

namespace skua::cli {

std::vector<std::string> names_in(std::string_view option, std::string const& list) {
  return list == "none" ? std::vector<std::string>{} : items_of(option, list);
}

std::vector<std::string> policies_in(std::string_view option, std::string const& list) {
  std::vector<std::string> joined_items;
  for (std::string& item : names_in(option, list)) {
    bool const continues =
        !joined_items.empty() && item.find('=') < item.find(':') && joined_items.back().find(':') != std::string::npos;
    if (continues) {
      joined_items.back() += fmt::format(",{}", item);
    } else {
      joined_items.push_back(std::move(item));
    }
  }
  std::vector<std::string> all;
  for (std::string& name : joined_items) {
    static_cast<void>(make_policy(name, layout::flat(1), 0));
    add_once(all, std::move(name));
  }
  return all;
}

}  // namespace skua::cli
