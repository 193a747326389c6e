// SPDX-License-Identifier: MIT
#include "skua/policy/balance/tempered.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "skua/policy/balance/loads_for_test.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace balance { namespace {

TEST(tempered, no_task_is_lost_and_the_largest_load_never_grows) {  // H6, H10
  for (std::uint32_t const ranks : machine_sizes) {
    for (std::uint64_t seed = 0; seed < (ranks < 100 ? 30 : 3); ++seed) {
      SCOPED_TRACE(testing::Message() << ranks << " ranks, seed " << seed);
      machine_loads const loads = random_loads(ranks, 12, 20, seed);
      for (transfer_order const order : {transfer_order::fewest, transfer_order::shortest, transfer_order::longest}) {
        for (std::uint32_t const exchanges : {0U, 4U}) {
          balance_plan const plan = tempered(loads, {.exchanges = exchanges, .trials = 2, .order = order}, seed);
          expect_conserved(loads, plan);
          EXPECT_LE(plan.report.max_after, plan.report.max_before);
        }
      }
    }
  }
}

TEST(tempered, the_same_seed_gives_the_same_plan) {
  machine_loads const loads = random_loads(64, 20, 16, 3);
  EXPECT_EQ(tempered(loads, {}, 5).migrations, tempered(loads, {}, 5).migrations);
  EXPECT_NE(tempered(loads, {}, 5).migrations, tempered(loads, {}, 6).migrations);
}

/// The nine tasks of vt's test of TemperedLB, in quarters of its unit.
machine_loads nine_tasks() { return {{4, 2, 2, 2}, {8, 2, 2, 4}, {6}, {}}; }

TEST(tempered, nine_tasks_on_four_ranks_are_balanced_perfectly) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    machine_loads const loads = nine_tasks();
    balance_plan const plan = tempered(loads, {.trials = 4, .goal = 1}, seed);
    expect_conserved(loads, plan);
    EXPECT_EQ(plan.report.max_after, 8U) << "imbalance 0; seed " << seed;
  }
}

TEST(tempered, many_tasks_per_rank_come_within_the_goal) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    machine_loads const loads = random_loads(200, 100, 12, seed);
    EXPECT_LE(tempered(loads, {}, seed).report.over_bound_after(), 0.0031) << "seed " << seed;
  }
}

TEST(tempered, within_the_goal_nothing_moves) {  // H8, H10, H11
  std::vector<machine_loads> const balanced{{{5, 5}, {10}, {1, 2, 3, 4}}, {{7}}, {{}, {}}, {{0, 0}, {}}, {}};
  for (machine_loads const& loads : balanced) EXPECT_TRUE(tempered(loads, {}, 1).migrations.empty());
  machine_loads loads = random_loads(100, 60, 10, 8);
  loads = after(loads, tempered(loads, {}, 1).migrations);
  EXPECT_TRUE(tempered(loads, {}, 2).migrations.empty()) << "applied again, it rests";
}

TEST(tempered, a_task_longer_than_the_average_does_not_travel) {  // H12
  for (std::uint32_t const ranks : {2U, 3U, 10U, 64U}) {
    machine_loads loads(ranks, std::vector<load_ns>(4, 10));
    loads[1].push_back(100'000);
    loads[0].push_back(5);
    for (std::uint64_t turn = 0; turn < 10; ++turn) {
      loads = after(loads, tempered(loads, {.goal = 1}, turn).migrations);
      EXPECT_EQ(std::ranges::count(loads[1], 100'000U), 1) << ranks << " ranks, turn " << turn;
    }
  }
}

TEST(tempered, extra_costs_keep_tasks_where_they_are_cheap) {
  machine_loads const loads{{10, 10, 10, 10}, {}, {}};
  extra_cost const near_only = [](donated_task const&, std::uint32_t rank) { return rank == 2 ? load_ns{1000} : 0; };
  balance_plan const plan = tempered(loads, {}, 1, near_only);
  EXPECT_FALSE(plan.migrations.empty());
  for (migration const& m : plan.migrations) EXPECT_EQ(m.receiver, 1U);
}

std::vector<runtime::dice> dice_of_ranks(std::size_t ranks, std::uint64_t seed) {
  std::vector<runtime::dice> rolls;
  for (std::uint32_t r = 0; r < ranks; ++r) rolls.push_back(dice_of_rank(seed, r));
  return rolls;
}

TEST(gossip, ranks_hear_of_underloaded_ranks_only_and_not_of_themselves) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    runtime::dice roll(seed);
    std::vector<load_ns> loads(300);
    for (load_ns& load : loads) load = roll.below(100);
    auto rolls = dice_of_ranks(loads.size(), seed);
    auto const known = gossip(loads, 50, {.known = 16}, rolls, roll);
    std::uint64_t pairs = 0;
    for (std::uint32_t r = 0; r < loads.size(); ++r) {
      EXPECT_LE(known[r].all().size(), 16U);
      pairs += known[r].all().size();
      for (known_rank const& k : known[r].all()) {
        EXPECT_NE(k.rank, r);
        EXPECT_LT(k.load, 50U);
        EXPECT_EQ(k.load, loads[k.rank]);
      }
    }
    EXPECT_GT(pairs, 12U * loads.size()) << "nearly everybody knows as many as it may; seed " << seed;
  }
}

TEST(gossip, one_underloaded_rank_is_soon_known_to_most) {
  runtime::dice roll(4);
  std::vector<load_ns> loads(1000, 10);
  loads[77] = 0;
  auto rolls = dice_of_ranks(loads.size(), 4);
  auto const known = gossip(loads, 9.99, {}, rolls, roll);
  EXPECT_GT(std::ranges::count_if(known, [](known_ranks const& k) { return k.all().size() == 1; }), 500);
}

TEST(gossip, has_fewer_rounds_where_many_ranks_are_below_the_average) {
  EXPECT_EQ(gossip_rounds(1, 0, {}), 1U);
  EXPECT_EQ(gossip_rounds(5, 2, {}), 1U);
  EXPECT_EQ(gossip_rounds(163'840, 0, {}), 8U) << "5^7 = 78,125";
  EXPECT_EQ(gossip_rounds(163'840, 100, {}), 8U);
  EXPECT_EQ(gossip_rounds(163'840, 81'920, {}), 4U) << "of 256 ranks half are below";
  EXPECT_EQ(gossip_rounds(163'840, 81'920, {.rounds = 2}), 2U);
}

TEST(gossip, distances_are_different_and_reach_every_other_rank_of_a_small_machine) {
  runtime::dice common(7);
  for (std::uint32_t const ranks : {1U, 2U, 3U, 5U, 6U, 100U}) {
    for (int i = 0; i < 100; ++i) {
      auto d = gossip_distances(ranks, 4, common);
      EXPECT_EQ(d.size(), std::min(ranks - 1, 4U));
      std::ranges::sort(d);
      EXPECT_EQ(std::ranges::adjacent_find(d), d.end());
      EXPECT_TRUE(d.empty() || (d.front() >= 1 && d.back() < ranks));
    }
  }
}

TEST(known_ranks, the_less_loaded_is_chosen_more_often) {
  runtime::dice roll(9);
  known_ranks known;
  std::vector<known_rank> const heard{{3, 0}, {5, 50}, {8, 100}};
  EXPECT_TRUE(known.hear(heard, roll));
  EXPECT_FALSE(known.hear(heard, roll)) << "no news";
  std::vector<int> chosen(9, 0);
  for (int i = 0; i < 30'000; ++i) ++chosen[known.choose(100, roll).value().rank];
  EXPECT_NEAR(chosen[3], 20'000, 600);
  EXPECT_NEAR(chosen[5], 10'000, 600);
  EXPECT_EQ(chosen[8], 0);
  EXPECT_FALSE(known_ranks().choose(100, roll).has_value());
}

TEST(transfers, a_task_goes_only_where_both_end_below_what_the_giver_had) {
  runtime::dice roll(1);
  known_ranks known;
  known.hear(std::vector<known_rank>{{1, 6}, {2, 11}}, roll);
  tentative_rank self;
  for (load_ns const load : {4U, 4U, 3U}) self.add({0, static_cast<std::uint32_t>(self.tasks.size()), load});
  auto const given = transfers(self, 5, known, transfer_order::longest, {}, roll);
  ASSERT_EQ(given.size(), 1U) << "4 < 11 - 6 goes; then neither 4 nor 3 does, as 7 < 10";
  EXPECT_EQ(given[0].task.load, 4U);
}

TEST(exchange, the_larger_load_falls_and_both_sums_stay_right) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    runtime::dice roll(seed);
    tentative_rank a;
    tentative_rank b;
    for (std::uint32_t t = 0; t < roll.below(20); ++t) a.add({0, t, roll.below(100)});
    for (std::uint32_t t = 0; t < roll.below(20); ++t) b.add({1, t, roll.below(60)});
    load_ns const larger = std::max(a.load, b.load);
    load_ns const both = a.load + b.load;
    std::uint32_t const moved = exchange(a, b, 0);
    EXPECT_EQ(a.load + b.load, both);
    if (moved > 0) {
      EXPECT_LT(std::max(a.load, b.load), larger) << "seed " << seed;
    }
    for (tentative_rank const& r : {a, b}) {
      EXPECT_EQ(r.load, std::accumulate(r.tasks.begin(), r.tasks.end(), load_ns{0},
                                        [](load_ns sum, donated_task const& t) { return sum + t.load; }));
    }
  }
}

TEST(exchange, two_tasks_change_sides_where_no_single_one_can) {
  tentative_rank a;
  tentative_rank b;
  for (load_ns const load : {7U, 7U}) a.add({0, 0, load});
  for (load_ns const load : {6U, 4U}) b.add({1, 0, load});
  EXPECT_EQ(exchange(a, b, 0), 2U) << "7 against 6: 13 and 11 instead of 14 and 10";
  EXPECT_EQ(std::max(a.load, b.load), 13U);
}

}}}}}  // namespace skua::v0::policies::balance
