// SPDX-License-Identifier: MIT
// Whatever the loads and the footprints: no rank ends above the stated limit, no more bytes travel than before, and where there is room, hardly any.
#include "skua/policy/balance/locality.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "skua/parts/base/dice.hpp"
#include "skua/policy/balance/balancers.hpp"
#include "skua/policy/balance/loads_for_test.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace balance { namespace {

owner_footprint needing(std::vector<std::uint64_t> const& bytes_of_ranks) {
  std::vector<owner_footprint::share> shares;
  for (std::uint32_t r = 0; r < bytes_of_ranks.size(); ++r) {
    if (bytes_of_ranks[r] > 0) shares.push_back({bytes_of_ranks[r], r});
  }
  return footprint_of(shares);
}

/// Of a machine that a balancer has balanced; each task needs blocks of up to six ranks.
std::vector<placed_task> random_tasks(std::uint32_t ranks, std::uint64_t seed) {
  machine_loads const loads = random_loads(ranks, 24, 16, seed);
  machine_loads const balanced = after(loads, rebalance(loads, centralised_options{}, 1).migrations);
  runtime::dice roll(seed + 1000);
  std::vector<placed_task> tasks;
  for (std::uint32_t r = 0; r < ranks; ++r) {
    for (load_ns const load : balanced[r]) {
      std::vector<owner_footprint::share> shares;
      for (std::uint32_t n = roll.below(7); n > 0; --n) {
        std::uint32_t const owner = roll.below(ranks);
        if (std::ranges::find(shares, owner, &owner_footprint::share::owner) == shares.end()) {
          shares.push_back({roll.below(1000) + std::uint64_t{1}, owner});
        }
      }
      tasks.push_back({load, r, footprint_of(shares)});
    }
  }
  return tasks;
}

std::vector<load_ns> totals(std::vector<placed_task> const& tasks, std::vector<std::uint32_t> const& placed,
                            std::uint32_t ranks) {
  std::vector<load_ns> of(ranks, 0);
  for (std::size_t t = 0; t < tasks.size(); ++t) of[placed[t]] = plus(of[placed[t]], tasks[t].load);
  return of;
}

std::uint64_t away(std::vector<placed_task> const& tasks, std::vector<std::uint32_t> const& placed) {
  std::uint64_t sum = 0;
  for (std::size_t t = 0; t < tasks.size(); ++t) sum += tasks[t].needs.away_from(placed[t]);
  return sum;
}

TEST(locality, never_lifts_the_largest_load_beyond_the_tolerance_nor_the_bytes) {
  std::uint64_t gained = 0;
  for (std::uint32_t const ranks : machine_sizes) {
    for (std::uint64_t seed = 0; seed < (ranks < 100 ? 40 : 3); ++seed) {
      for (double const tolerance : {0.0, 0.02, 0.5}) {
        SCOPED_TRACE(testing::Message() << ranks << " ranks, tolerance " << tolerance << ", seed " << seed);
        auto const tasks = random_tasks(ranks, seed);
        near_placement const found = prefer_owners(tasks, ranks, tolerance);
        ASSERT_EQ(found.ranks.size(), tasks.size());
        for (std::uint32_t const r : found.ranks) ASSERT_LT(r, ranks);
        std::vector<std::uint32_t> start;
        for (placed_task const& t : tasks) start.push_back(t.rank);
        auto const before = totals(tasks, start, ranks);
        auto const now = totals(tasks, found.ranks, ranks);
        EXPECT_EQ(found.most_before, std::ranges::max(before));
        EXPECT_EQ(found.most_after, std::ranges::max(now));
        EXPECT_EQ(found.away_before, away(tasks, start));
        EXPECT_EQ(found.away_after, away(tasks, found.ranks));
        EXPECT_LE(static_cast<double>(found.most_after),
                  std::max(static_cast<double>(found.most_before), (1 + tolerance) * average_of(before)));
        EXPECT_LE(found.away_after, found.away_before);
        EXPECT_EQ(prefer_owners(tasks, ranks, tolerance).ranks, found.ranks) << "same arguments";
        gained += found.away_before - found.away_after;
      }
    }
  }
  EXPECT_GT(gained, 0U);
}

TEST(locality, finds_the_owner_of_every_task_where_the_loads_allow_it) {
  constexpr std::uint32_t ranks = 8;
  constexpr std::uint32_t each = 32;
  std::vector<placed_task> tasks;
  for (std::uint32_t t = 0; t < ranks * each; ++t) {
    std::vector<std::uint64_t> needs(ranks, 0);
    needs[t % ranks] = 100;
    tasks.push_back({10, t / each, needing(needs)});
  }
  near_placement const found = prefer_owners(tasks, ranks, 0.02);
  EXPECT_EQ(found.away_before, 100U * ranks * each * (ranks - 1) / ranks);
  EXPECT_EQ(found.away_after, 0U);
  EXPECT_EQ(found.most_after, found.most_before);
}

TEST(locality, keeps_where_all_want_one_rank_those_that_lose_most) {
  std::vector<placed_task> tasks;
  for (std::uint64_t t = 0; t < 40; ++t)
    tasks.push_back({10, static_cast<std::uint32_t>(t % 4), needing({t + 1, 0, 0, 0})});
  near_placement const found = prefer_owners(tasks, 4, 0);
  EXPECT_EQ(found.most_after, 100U);
  for (std::size_t t = 0; t < 40; ++t) EXPECT_EQ(found.ranks[t] == 0, t >= 30) << t;
}

TEST(locality, of_ties_moves_nothing) {
  std::vector<placed_task> tasks;
  for (std::uint32_t t = 0; t < 12; ++t) tasks.push_back({t + 1, t % 3, needing({50, 50, 50})});
  near_placement const found = prefer_owners(tasks, 3, 0.5);
  for (std::size_t t = 0; t < tasks.size(); ++t) EXPECT_EQ(found.ranks[t], tasks[t].rank);
  EXPECT_EQ(found.away_after, found.away_before);
}

TEST(locality, has_an_answer_for_any_numbers) {
  constexpr load_ns most = std::numeric_limits<load_ns>::max();
  EXPECT_TRUE(prefer_owners({}, 0, 0).ranks.empty());
  EXPECT_TRUE(prefer_owners({}, 3, 0).ranks.empty());
  std::vector<placed_task> tasks(4);
  tasks[0].needs = needing({0, 7});
  EXPECT_EQ(prefer_owners(tasks, 2, 0).ranks, (std::vector<std::uint32_t>{1, 0, 0, 0})) << "tasks without a load";
  for (placed_task& t : tasks) t.load = most;
  EXPECT_EQ(prefer_owners(tasks, 2, 1).ranks, std::vector<std::uint32_t>(4, 0)) << "sums that have no room";
  tasks[0].needs = needing({most, most, 3});
  EXPECT_EQ(tasks[0].needs.bytes, most);
  EXPECT_EQ(tasks[0].needs.away_from(1), 0U);
}

TEST(locality, a_footprint_keeps_the_heaviest_owners_and_counts_all) {
  owner_footprint const all = needing({5, 9, 1, 9, 2, 8});
  std::vector<std::uint32_t> owners;
  for (auto const& s : all.heaviest) owners.push_back(s.owner);
  EXPECT_EQ(owners, (std::vector<std::uint32_t>{1, 3, 5, 0}));
  EXPECT_EQ(all.bytes, 34U);
  EXPECT_EQ(all.on(4), 0U) << "not listed";
  EXPECT_EQ(all.away_from(3), 25U);
  EXPECT_EQ(owner_footprint{}.on(0), 0U) << "a free place belongs to nobody";
}

}}}}}  // namespace skua::v0::policies::balance
