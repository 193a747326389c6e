// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/simulated/balance_time.hpp"

#include <gtest/gtest.h>

#include "skua/parts/base/dice.hpp"

namespace skua { inline namespace v0 { namespace ranks { namespace {

namespace balance = policies::balance;

/// Every fourth rank has four times the tasks of the others.
balance::machine_loads loads_of(std::uint32_t ranks, std::uint32_t tasks_each, std::uint64_t seed) {
  runtime::dice dice(seed);
  balance::machine_loads loads(ranks);
  for (std::uint32_t r = 0; r < ranks; ++r) {
    for (std::uint32_t t = 0; t < tasks_each * (r % 4 == 0 ? 4 : 1); ++t)
      loads[r].push_back(1000 + dice.below(100'000));
  }
  return loads;
}

double seconds(std::string_view how, std::uint32_t ranks, std::uint32_t tasks_each) {
  return time_to_balance(cluster_named("hopper"), loads_of(ranks, tasks_each, 1), balance::make_balancer(how)).seconds;
}

TEST(balance_time, is_that_of_the_tasks_that_the_balancer_moves) {
  for (std::string_view const how : {"centralised", "hierarchical", "hierarchical:arity=2,sweeps=1",
                                     "hierarchical:as-published", "none", "tempered", "tempered:goal=1,trials=2"}) {
    for (std::uint32_t const ranks : {1U, 2U, 3U, 10U, 100U, 500U}) {
      auto const loads = loads_of(ranks, 7, ranks);
      balance::balancer const by = balance::make_balancer(how);
      auto const time = time_to_balance(cluster_named("titan"), loads, by);
      EXPECT_EQ(time.migrations, balance::rebalance(loads, by, 1).migrations.size()) << how << " on " << ranks;
      EXPECT_LE(time.reduction_s, time.seconds);
      EXPECT_LE(time.decided_s, time.seconds);
    }
  }
}

/// Each on a node of its own, with 3 tasks and 1, all equally long.
balance_time time_of_two_ranks(char const* how) {
  cluster where = cluster_named("hopper");
  where.ranks_per_node = 1;
  where.nodes_per_switch = 1;
  where.in_system = {10'000, 1e18};
  where.in_node = {0, 1e18};
  where.handler_ns = 1000;
  where.balance_step_ns = 50;
  balance::machine_loads const loads{{100, 100, 100}, {100}};
  return time_to_balance(where, loads, balance::make_balancer(how));
}

// Up and down a tree of two leaves: the average, then one sweep; a request, and one task of three.
TEST(balance_time, of_messages_along_a_tree_adds_up) {
  auto const time = time_of_two_ranks("hierarchical:sweeps=1");
  EXPECT_EQ(time.migrations, 1U);
  EXPECT_EQ(time.messages, 6U);
  EXPECT_EQ(time.most_times, 1U);
  // A message takes 1 + 10 + 1 us. Rank 0 knows the sum after one, tells rank 1, looks at the task that it donates, and offers it to rank 1, which
  // hosts the root: the offer comes after the sum. Rank 1 looks at the task, answers rank 0, and asks for the task in the next microsecond.
  EXPECT_NEAR(time.seconds, 12e-6 + 1e-6 + 0.05e-6 + 12e-6 + 0.05e-6 + 1e-6 + 12e-6 + 12e-6, 1e-12);
}

// 1 task of 3 moves: a reduction, a message to rank 0 that rank 0 also sends to itself, the answer to rank 1.
TEST(balance_time, of_two_ranks_adds_up) {
  auto const time = time_of_two_ranks("centralised");
  EXPECT_EQ(time.migrations, 1U);
  EXPECT_DOUBLE_EQ(time.reduction_s, 24e-6);  // up and down: 10 us each, sent and handled in 1 us each
  // Rank 1's message takes 1 + 10 + 1 us. Rank 0's to itself was sent a moment later and is handled next, in 1. Rank 0 decides in 0.05, tells
  // itself in 2 and sends the task in 12; what it tells rank 1 is there earlier.
  EXPECT_NEAR(time.seconds, 24e-6 + 12e-6 + 1e-6 + 0.05e-6 + 2e-6 + 12e-6, 1e-12);
}

TEST(balance_time, grows_with_the_ranks_where_one_rank_decides_and_much_less_where_a_tree_does) {
  double const more_centralised = seconds("centralised", 16'000, 12) / seconds("centralised", 1000, 12);
  double const more_hierarchical = seconds("hierarchical", 16'000, 12) / seconds("hierarchical", 1000, 12);
  EXPECT_GT(more_centralised, 12);
  EXPECT_LT(more_hierarchical, 6);
}

}}}}  // namespace skua::v0::ranks
