// SPDX-License-Identifier: MIT
// What must hold of a balancer that does the steps of all ranks, whatever the loads.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "skua/policy/balance/centralised.hpp"
#include "skua/policy/balance/hierarchical.hpp"
#include "skua/policy/balance/loads_for_test.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace balance { namespace {

using detail = load_database::detail;

TEST(whole_machine, no_task_is_lost_doubled_or_moved_twice) {  // H6, I7, I10
  for (std::uint32_t const ranks : machine_sizes) {
    for (std::uint64_t seed = 0; seed < (ranks < 100 ? 30 : 3); ++seed) {
      SCOPED_TRACE(testing::Message() << ranks << " ranks, seed " << seed);
      machine_loads const loads = random_loads(ranks, 12, 20, seed);
      for (detail const how : {detail::exact, detail::binned}) {
        expect_conserved(loads, centralised(loads, {.loads = how}));
        for (std::uint32_t const arity : {2U, 3U, 5U}) {
          expect_conserved(loads,
                           hierarchical(loads, {.arity = arity, .sweeps = arity, .fits = arity != 2, .loads = how}));
        }
      }
    }
  }
}

TEST(centralised, no_rank_is_above_the_threshold_and_above_the_average_and_one_task) {  // H7
  for (std::uint32_t const ranks : machine_sizes) {
    for (std::uint64_t seed = 0; seed < (ranks < 100 ? 30 : 3); ++seed) {
      machine_loads const loads = random_loads(ranks, 12, 20, seed);
      balance_report const report = centralised(loads, {}).report;
      double const limit = std::max(1.003 * report.average, static_cast<double>(report.longest_task) + report.average);
      EXPECT_LE(static_cast<double>(report.max_after), limit) << ranks << " ranks, seed " << seed;
    }
  }
}

TEST(whole_machine, a_balanced_machine_moves_nothing) {  // H8, H10, H11, I9
  std::vector<machine_loads> const balanced{
      {{5, 5}, {10}, {1, 2, 3, 4}}, {{7}}, {{7, 7, 7}}, {{}, {}, {}}, {{0, 0}, {}, {0}}, {}};
  for (machine_loads const& loads : balanced) {
    for (balance_plan const& plan : {centralised(loads, {}), hierarchical(loads, {})}) {
      EXPECT_TRUE(plan.migrations.empty());
      EXPECT_EQ(plan.report.max_after, plan.report.max_before);
      EXPECT_EQ(plan.report.hops, 0U);
      EXPECT_EQ(plan.report.over_ideal_after(), 0);
    }
  }
}

TEST(whole_machine, ranks_without_tasks_get_some) {  // H10
  machine_loads loads(10);
  loads[9] = std::vector<load_ns>(100, 3);
  for (balance_plan const& plan : {centralised(loads, {}), hierarchical(loads, {})}) {
    expect_conserved(loads, plan);
    EXPECT_LE(plan.report.max_after, 33U) << "30 is below 1.003 times 30, so a child may get one more";
    EXPECT_GE(plan.report.migrations, 89U);
  }
}

TEST(whole_machine, a_task_longer_than_the_average_stays_where_it_is) {  // H12
  for (std::uint32_t const ranks : {2U, 3U, 10U, 64U}) {
    machine_loads loads(ranks, std::vector<load_ns>(4, 10));
    loads[1].push_back(100'000);
    for (int turn = 0; turn < 10; ++turn) {
      machine_loads const by_centre = after(loads, centralised(loads, {}).migrations);
      EXPECT_EQ(std::ranges::count(by_centre[1], 100'000U), 1);
      loads = after(loads, hierarchical(loads, {}).migrations);
      EXPECT_EQ(std::ranges::count(loads[1], 100'000U), 1) << ranks << " ranks, turn " << turn;
    }
  }
}

TEST(hierarchical, overload_is_taken_by_neighbours_where_they_have_room) {  // I8
  machine_loads loads(81, std::vector<load_ns>(10, 10));
  for (std::uint32_t r = 0; r < 81; r += 3) {
    loads[r].assign(14, 10);
    loads[r + 1].assign(6, 10);
  }
  balance_report const near = hierarchical(loads, {}).report;
  EXPECT_EQ(near.max_after, 100U);
  EXPECT_EQ(near.migrations, 4U * 27);
  EXPECT_EQ(near.hops, 2 * near.migrations) << "all of it inside groups of three";
  EXPECT_GT(centralised(loads, {}).report.hops, near.hops);
}

TEST(hierarchical, applied_again_it_does_not_get_much_worse_and_soon_rests) {  // I11
  for (std::uint32_t const ranks : {9U, 64U, 1000U}) {
    machine_loads loads = random_loads(ranks, 60, 10, 77);
    std::vector<std::uint64_t> moved;
    std::vector<double> over;
    for (int turn = 0; turn < 4; ++turn) {
      balance_plan const plan = hierarchical(loads, {});
      loads = after(loads, plan.migrations);
      moved.push_back(plan.report.migrations);
      over.push_back(plan.report.over_ideal_after());
    }
    EXPECT_LT(moved.back(), moved.front() / 2 + 1) << ranks << " ranks";
    EXPECT_LE(over.back(), over.front() + 0.02) << ranks << " ranks";
  }
}

TEST(hierarchical, any_arity_and_threshold_conserves_tasks) {  // I1, I10
  for (std::uint32_t const arity : {2U, 3U, 4U, 16U, 4096U}) {
    for (double const fill : {0.5, 1.0, 1.003, 1.5}) {
      machine_loads const loads = random_loads(100, 20, 16, arity);
      balance_plan const plan = hierarchical(loads, {.arity = arity, .fill = fill});
      expect_conserved(loads, plan);
      EXPECT_LT(plan.report.over_ideal_after(), plan.report.over_ideal_before());
    }
  }
}

TEST(hierarchical, a_tree_of_one_level_is_the_central_balancer) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    machine_loads const loads = random_loads(50, 20, 16, seed);
    EXPECT_EQ(hierarchical(loads, {.arity = 50, .sweeps = 1, .fits = false}).report.max_after,
              centralised(loads, {}).report.max_after)
        << seed;
  }
}

}}}}}  // namespace skua::v0::policies::balance
