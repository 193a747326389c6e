// SPDX-License-Identifier: MIT
// For tests that run under every policy, each watched by the protocol checker:
// INSTANTIATE_TEST_SUITE_P(policies, FIXTURE, ::testing::ValuesIn(checked_policies()), policy_in_a_name).
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "skua/machine/threads/face/pool.hpp"
#include "skua/policy/combinations_for_test.hpp"

namespace skua { inline namespace v0 { namespace testing {

class under_every_policy : public ::testing::TestWithParam<std::string> {
 protected:
  [[nodiscard]] static pool_options workers(std::uint32_t n) { return {.workers = n, .policy = GetParam()}; }
};

inline std::vector<std::string> checked_policies() {
  std::vector<std::string> names;
  for (std::string const& p : whole_policies()) names.push_back("checked:" + p);
  for (auto const name : {"random", "adws"}) names.push_back("checked:" + std::string(name));
  return names;
}

/// Those under which an idle worker takes any ready task in the end. Strict iterations of replay promise no concurrency
/// (policy/replay/replay.md).
inline std::vector<std::string> checked_greedy_policies() {
  auto names = checked_policies();
  std::erase(names, "checked:only:replay");
  return names;
}

inline std::string policy_in_a_name(::testing::TestParamInfo<std::string> const& tested) {
  std::string name = tested.param;
  for (char& c : name) {
    if (c == '-' || c == ':' || c == '=' || c == ',') c = '_';
  }
  return name;
}

}}}  // namespace skua::v0::testing
