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

/// Each answer for forks with both others.
inline constexpr std::array<std::string_view, 5> combinations{"forks=random", "forks=hierarchical", "forks=adws",
                                                              "forks=numa-ws", "forks=replay"};

/// All listed policies, and these.
inline std::vector<std::string> policies_and_combinations() {
  std::vector<std::string> names;
  for (policies::policy_entry const& p : policies::all()) names.emplace_back(p.name);
  names.insert(names.end(), combinations.begin(), combinations.end());
  return names;
}

/// One of those.
inline std::string any_policy(std::uint64_t n) {
  auto const all = policies_and_combinations();
  return all[n % all.size()];
}

}}}  // namespace skua::v0::testing
