// SPDX-License-Identifier: MIT
// Names of combined policies for tests that run under every policy.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "skua/policy/registry.hpp"

namespace skua { inline namespace v0 { namespace testing {

/// `auto`, and each policy for every kind of task.
inline std::vector<std::string> whole_policies() {
  std::vector<std::string> names{"auto"};
  for (policies::policy_entry const& p : policies::all().subspan(1)) names.push_back("only:" + std::string(p.name));
  return names;
}

/// Each answer for forks with both others.
inline constexpr std::array<std::string_view, 5> combinations{"random", "hierarchical", "adws", "numa-ws", "replay"};

/// All of those.
inline std::vector<std::string> policies_and_combinations() {
  std::vector<std::string> names = whole_policies();
  names.insert(names.end(), combinations.begin(), combinations.end());
  return names;
}

/// One of those.
inline std::string any_policy(std::uint64_t n) {
  auto const all = policies_and_combinations();
  return all[n % all.size()];
}

}}}  // namespace skua::v0::testing
