// SPDX-License-Identifier: MIT
// Balancers without a centre on ranks: tasks go where the balancer in one process would put them, and no rank hears the times of all.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "skua/machine/ranks/collection/balance_plan.hpp"
#include "skua/machine/ranks/collection/task_work.hpp"
#include "skua/machine/ranks/transport/ranks_for_test.hpp"
#include "skua/parts/base/dice.hpp"
#include "skua/policy/balance/balancers.hpp"
#include "skua/ranks.hpp"

namespace skua { inline namespace v0 { namespace ranks { namespace {

namespace balance = policies::balance;

/// Tasks with works on some ranks, by rank in the order in which they are added.
struct dealt_tasks {
  std::vector<double> works;
  std::vector<std::vector<std::uint32_t>> of_rank;
};

/// Works from 1 to 2^10. One rank in three has no task, and the first of them most.
dealt_tasks deal(std::uint32_t ranks, std::uint32_t tasks, std::uint64_t seed) {
  runtime::dice roll(seed);
  dealt_tasks all{{}, std::vector<std::vector<std::uint32_t>>(ranks)};
  for (std::uint32_t t = 0; t < tasks; ++t) {
    all.works.push_back(std::exp2(roll.unit() * 10));
    std::uint32_t const drawn = roll.below(ranks);
    all.of_rank[roll.below(3) == 0 ? 0 : drawn - (drawn % 3 == 2 ? 1 : 0)].push_back(t);
  }
  return all;
}

/// Where the balancer puts each task when one process does the steps of all ranks. A rank's record has the newest task first.
std::vector<std::uint32_t> places_in_memory(dealt_tasks const& all, std::string const& how) {
  double const largest = std::ranges::max(all.works);
  std::vector<std::uint32_t> place(all.works.size());
  balance::machine_loads loads(all.of_rank.size());
  for (std::uint32_t r = 0; r < loads.size(); ++r) {
    for (auto t = all.of_rank[r].rbegin(); t != all.of_rank[r].rend(); ++t) {
      loads[r].push_back(load_of(all.works[*t], largest));
      place[*t] = r;
    }
  }
  for (auto const& m : balance::rebalance(loads, balance::make_balancer(how), seed_of_balancers).migrations) {
    auto const& donors = all.of_rank[m.donor];
    place[donors[donors.size() - 1 - m.task]] = m.receiver;
  }
  return place;
}

class distributed_balancing : public on_each_number_of_ranks {};

TEST_P(distributed_balancing, puts_tasks_where_one_process_would) {
  on_ranks(GetParam(), [](communicator& world) {
    for (std::string const how :
         {"hierarchical", "hierarchical:arity=2,sweeps=1", "tempered", "tempered:goal=1,trials=2"}) {
      for (std::uint64_t seed = 0; seed < 3; ++seed) {
        dealt_tasks const dealt = deal(world.size(), seed == 2 ? 3 : 90, seed);
        std::vector<std::uint32_t> ran_on(dealt.works.size(), 0);
        task_collection<std::uint32_t> all(world, {.name = "dealt", .steals = false},
                                           [&](std::uint32_t const& t) { ran_on[t] += world.rank() + 1; });
        for (std::uint32_t const t : dealt.of_rank[world.rank()]) all.add(t, dealt.works[t]);
        all.rebalance(how);
        all.process();
        std::vector<std::uint64_t> places(ran_on.begin(), ran_on.end());
        world.sum(std::span(places));
        std::vector<std::uint32_t> const expected = places_in_memory(dealt, how);
        for (std::size_t t = 0; t < places.size(); ++t) {
          ASSERT_EQ(places[t], expected[t] + 1) << how << ", task " << t << ", seed " << seed;
        }
      }
    }
  });
}

/// One rank has twice the tasks of the others.
std::uint64_t times_heard_by(communicator& world, char const* how, std::uint32_t tasks_each) {
  task_collection<std::uint32_t> all(world, {.name = "heard", .steals = false}, [](std::uint32_t) {});
  for (std::uint32_t t = 0; t < tasks_each * (world.rank() == 0 ? 2 : 1); ++t) all.add(t, 1.0);
  all.rebalance(how);
  return all.report().times_heard;
}

TEST_P(distributed_balancing, tells_no_rank_the_times_of_all_tasks) {
  on_ranks(GetParam(), [](communicator& world) {
    constexpr std::uint32_t each = 60;
    std::uint64_t const others = (world.size() - 1) * each;
    EXPECT_EQ(times_heard_by(world, "centralised", each), others) << "rank 0 sees all of them";
    EXPECT_EQ(times_heard_by(world, "none", each), others);
    // What rank 0 has too much goes through its parents.
    EXPECT_LE(times_heard_by(world, "hierarchical", each), each + 2);
    if (world.size() > 2) {
      EXPECT_LT(times_heard_by(world, "tempered", each), others);
    }
  });
}

TEST_P(distributed_balancing, follows_one_another_and_other_calls) {
  on_ranks(GetParam(), [](communicator& world) {
    task_collection<std::uint64_t> all(world, {.name = "numbers"}, [](std::uint64_t) {});
    if (world.rank() == 0) {
      for (std::uint64_t t = 0; t < 50; ++t) all.add(t, 1.0 + static_cast<double>(t % 5));
    }
    for (char const* how : {"hierarchical", "tempered", "centralised", "tempered", "hierarchical", "none"}) {
      all.rebalance(how);
      EXPECT_EQ(world.sum(all.num_waiting()), 50U) << how;
    }
    all.process();
    for (char const* how : {"tempered", "hierarchical"}) {
      all.rebalance(how);
      EXPECT_EQ(world.sum(all.num_recorded()), 50U) << how;
    }
  });
}

INSTANTIATE_TEST_SUITE_P(ranks, distributed_balancing, ::testing::ValuesIn(numbers_of_ranks()));

}}}}  // namespace skua::v0::ranks
