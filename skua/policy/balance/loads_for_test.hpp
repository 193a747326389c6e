// SPDX-License-Identifier: MIT
// Loads of whole machines for the tests of balancers: random ones from a seed, and what must hold of any plan.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "skua/parts/base/dice.hpp"
#include "skua/policy/balance/plan.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace balance {

inline constexpr std::uint32_t machine_sizes[] = {1, 2, 3, 5, 9, 10, 64, 1000};

/// 0 to `most` tasks per rank; durations from 1 to 2^`bits`, even on a logarithmic scale; some ranks have ten times as
/// many tasks.
inline machine_loads random_loads(std::uint32_t ranks, std::uint32_t most, std::uint32_t bits, std::uint64_t seed) {
  runtime::dice roll(seed);
  machine_loads loads(ranks);
  for (auto& rank : loads) {
    std::uint32_t const tasks = roll.below(most + 1) * (roll.below(8) == 0 ? 10 : 1);
    for (std::uint32_t t = 0; t < tasks; ++t) rank.push_back(static_cast<load_ns>(std::exp2(roll.unit() * bits)));
  }
  return loads;
}

inline std::vector<load_ns> sorted_tasks(machine_loads const& loads) {
  std::vector<load_ns> all;
  for (auto const& rank : loads) all.insert(all.end(), rank.begin(), rank.end());
  std::ranges::sort(all);
  return all;
}

/// Each task moves at most once, none to where it is, and none is lost or doubled. [H6, I7]
inline void expect_conserved(machine_loads const& loads, balance_plan const& plan) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> moved;
  for (migration const& m : plan.migrations) {
    ASSERT_LT(m.donor, loads.size());
    ASSERT_LT(m.receiver, loads.size());
    ASSERT_LT(m.task, loads[m.donor].size());
    EXPECT_NE(m.donor, m.receiver);
    EXPECT_TRUE(moved.emplace(m.donor, m.task).second) << "task " << m.task << " of rank " << m.donor << " moves twice";
  }
  EXPECT_EQ(sorted_tasks(after(loads, plan.migrations)), sorted_tasks(loads));
}

}}}}  // namespace skua::v0::policies::balance
