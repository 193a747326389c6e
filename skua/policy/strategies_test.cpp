// SPDX-License-Identifier: MIT
// The policy `strategies`: own tasks first, then half the work of one random worker per ring, the nearest first; and when a
// spawn becomes a call.
#include "skua/policy/strategies.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "skua/parts/base/error.hpp"
#include "skua/parts/topology/layout.hpp"
#include "skua/parts/topology/topology.hpp"
#include "skua/policy/registry.hpp"
#include "skua/policy/script_for_test.hpp"

namespace skua { inline namespace v0 { namespace policies {
namespace {

layout four_packages_of_four() { return layout(topology::synthetic("package:4 numa:1 l3:1 core:4 pu:1")); }

}  // namespace

TEST(strategies, own_tasks_come_before_those_of_others) {
  configurable_strategies p(four_packages_of_four(), 1);
  auto const round = fruitless_round(p.of_worker(worker_id{5}));
  ASSERT_GE(round.size(), 4U);
  EXPECT_EQ(round[0], (probe{.kind = action::pop, .lane = lane::ordered, .victim = worker_id{5}}));
  EXPECT_EQ(round[1].lane, lane::spawned);
  EXPECT_EQ(round[2].lane, lane::inbox);
  EXPECT_EQ(round.back().kind, action::rest);
}

TEST(strategies, thief_asks_one_worker_per_ring_for_half_of_its_work_the_nearest_ring_first) {
  layout const where = four_packages_of_four();
  configurable_strategies p(where, 7);
  worker_id const self{5};
  for (int round = 0; round < 100; ++round) {
    auto const probes = fruitless_round(p.of_worker(self));
    auto const victims = victims_of(probes, lane::ordered);
    ASSERT_EQ(victims.size(), 2U);
    EXPECT_LT(where.distance(self, worker_id{victims[0]}), where.distance(self, worker_id{victims[1]}));
    for (probe const& asked : probes) {
      if (asked.kind == action::steal && asked.lane == lane::ordered) {
        EXPECT_EQ(asked.amount, amount::half_work);
      }
    }
  }
}

TEST(strategies, every_worker_of_a_ring_is_asked_in_some_round) {
  configurable_strategies p(four_packages_of_four(), 7);
  std::vector<int> asked(16);
  for (int round = 0; round < 500; ++round) {
    for (std::uint32_t const v : victims_of(fruitless_round(p.of_worker(worker_id{5})), lane::ordered)) ++asked[v];
  }
  for (std::uint32_t w = 0; w < 16; ++w) EXPECT_EQ(asked[w] > 0, w != 5) << w;
}

TEST(strategies, spawn_is_a_call_where_it_weighs_at_most_the_square_of_the_queue) {
  EXPECT_FALSE(converts(1, 0));
  EXPECT_TRUE(converts(1, 1));
  EXPECT_TRUE(converts(100, 10));
  EXPECT_FALSE(converts(101, 10));
  EXPECT_TRUE(converts(~std::uint64_t{0}, std::uint64_t{1} << 40));
}

TEST(strategies, only_the_ordered_lane_is_needed_and_the_option_lifo_ignores_strategies) {
  layout const where = four_packages_of_four();
  EXPECT_EQ(configurable_strategies(where, 1).needs(), (policy_needs{.lanes = {lane::ordered}, .urgency_us = 20}));
  EXPECT_FALSE(configurable_strategies(where, 1, {.lifo = true}).needs().strategies);
}

TEST(strategies, the_option_urgency_says_how_often_a_worker_looks_for_tasks_of_others) {
  layout const where = four_packages_of_four();
  EXPECT_EQ(make_policy("strategies:urgency=0", where, 1)->needs().urgency_us, 0U);
  EXPECT_EQ(make_policy("strategies:urgency=300", where, 1)->needs().urgency_us, 300U);
  EXPECT_EQ(make_policy("strategies:lifo,urgency=300", where, 1)->needs().urgency_us, 0U);
  EXPECT_THROW(static_cast<void>(make_policy("strategies:urgency=never", where, 1)), usage_error);
}

}}}  // namespace skua::v0::policies
