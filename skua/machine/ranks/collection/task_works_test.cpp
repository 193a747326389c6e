// SPDX-License-Identifier: MIT
// Works that a program gives its tasks, and rebalance() before the first process(): program/collection/collection.md, "works".
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "skua/machine/ranks/collection/numbered_tasks_for_test.hpp"
#include "skua/machine/ranks/collection/task_work.hpp"
#include "skua/machine/ranks/transport/ranks_for_test.hpp"
#include "skua/parts/base/dice.hpp"
#include "skua/rank_pool.hpp"
#include "skua/ranks.hpp"

namespace skua { inline namespace v0 { namespace ranks { namespace {

using numbered_tasks::plain_number, numbered_tasks::written_number, numbered_tasks::number_of,
    numbered_tasks::ran_tasks, numbered_tasks::task_of;

class task_works : public on_each_number_of_ranks {};

constexpr std::uint32_t tasks = 200;

/// Between 1 and 16, many of them short.
std::vector<double> drawn_works(std::uint64_t seed) {
  runtime::dice dice(seed);
  std::vector<double> works;
  while (works.size() < tasks) works.push_back(std::exp2(4 * dice.unit() * dice.unit()));
  return works;
}

std::string said_by(std::function<void()> const& f) {
  try {
    f();
  } catch (usage_error const& e) {
    return e.what();
  }
  return {};
}

/// The rank that runs each task in the first process() after a rebalance, without stealing. Expects a balance: no rank has more than the
/// average and one task.
template <class Task>
std::vector<double> balanced_run(communicator& world, char const* how, double unit) {
  std::vector<double> const works = drawn_works(7);
  ran_tasks now(world, tasks);
  task_collection<Task> all(world, {.name = "weighed", .steals = false}, [&](Task const& t) { now.ran(number_of(t)); });
  // Two thirds of the tasks are on one rank, the others on all.
  runtime::dice dice(8);
  std::uint32_t const loaded = dice.below(world.size());
  for (std::uint32_t n = 0; n < tasks; ++n) {
    std::uint32_t const on = n % 3 != 0 ? loaded : dice.below(world.size());
    if (on == world.rank()) all.add(task_of<Task>(n), works[n] * unit);
  }
  all.rebalance(how);
  EXPECT_EQ(world.sum(all.num_waiting()), tasks);
  EXPECT_EQ(world.sum(all.num_recorded()), 0U);
  std::uint64_t const mine = all.num_waiting();
  all.process();
  EXPECT_EQ(all.num_recorded(), mine);
  double own = 0;
  std::vector<double> ran_on = now.here();
  for (std::uint32_t n = 0; n < tasks; ++n) {
    own += ran_on[n] > 0 ? works[n] : 0;
    ran_on[n] *= world.rank() + 1.0;
  }
  double const most = world.max(own);
  double const average = world.sum(own) / world.size();
  if (std::string(how) != "none") {
    EXPECT_LE(most, average + 16) << how << ", unit " << unit;
  }
  now.expect_each_once(how);
  world.sum(std::span(ran_on));
  return ran_on;
}

TEST_P(task_works, balance_the_first_iteration_in_whatever_unit) {
  on_ranks(GetParam(), [&](communicator& world) {
    for (char const* how : {"none", "centralised", "hierarchical", "tempered"}) {
      auto const ran_on = balanced_run<plain_number>(world, how, 1);
      EXPECT_EQ(balanced_run<plain_number>(world, how, std::exp2(-900)), ran_on) << how;
      EXPECT_EQ(balanced_run<plain_number>(world, how, std::exp2(900)), ran_on) << how;
      EXPECT_EQ(balanced_run<written_number>(world, how, 1), ran_on) << how << ", serialized";
      pool threads(2);
      rank_pool const workers(world, threads);
      EXPECT_EQ(balanced_run<plain_number>(world, how, 1), ran_on) << how << ", threads";
    }
  });
}

TEST_P(task_works, rebalancing_makes_the_placement_that_is_the_original_one) {
  on_ranks(GetParam(), [&](communicator& world) {
    task_collection<std::uint32_t> all(world, {.name = "original"}, [](std::uint32_t) {});
    std::vector<double> const works = drawn_works(9);
    if (world.rank() == 0) {
      for (std::uint32_t n = 0; n < tasks; ++n) all.add(n, works[n]);
    }
    all.rebalance("hierarchical");
    std::uint64_t const first = all.num_waiting();
    EXPECT_EQ(first < tasks, world.size() > 1);
    for (int iteration = 0; iteration < 3; ++iteration) {
      all.process();
      all.restore(placement_of_tasks::original);
      EXPECT_EQ(all.num_waiting(), first) << iteration;
    }
    EXPECT_EQ(world.sum(all.num_waiting()), tasks);
  });
}

/// Rank r waits with works of these sums, each in two tasks.
bool due_with(communicator& world, std::function<double(std::uint32_t)> const& sum) {
  task_collection<int> all(world, {.name = "due"}, [](int) {});
  for (int n = 0; n < 2; ++n) all.add(n, sum(world.rank()) / 2);
  bool const moved = all.rebalance_if_due("centralised");
  EXPECT_EQ(world.sum(all.num_waiting()), 2 * world.size());
  EXPECT_EQ(world.sum(all.num_recorded()), 0U);
  EXPECT_EQ(world.max(moved ? 1U : 0U), world.min(moved ? 1U : 0U)) << "ranks differ";
  return moved;
}

TEST_P(task_works, say_whether_balancing_is_due_before_the_first_iteration) {
  on_ranks(GetParam(), [&](communicator& world) {
    bool const several = world.size() > 1;
    for (double const unit : {1.0, std::exp2(-900), std::exp2(900)}) {
      EXPECT_FALSE(due_with(world, [&](std::uint32_t) { return 100 * unit; }));
      // The largest is less than 1.005 of the mean, or at least 1.014.
      EXPECT_FALSE(due_with(world, [&](std::uint32_t r) { return (r == 0 ? 100.5 : 100) * unit; }));
      EXPECT_EQ(due_with(world, [&](std::uint32_t r) { return (r + 1 == world.size() ? 103 : 100) * unit; }), several);
    }
    // The sum is no double.
    EXPECT_TRUE(due_with(world, [](std::uint32_t) { return std::numeric_limits<double>::max(); }) || !several);
  });
}

TEST_P(task_works, that_are_due_move_the_tasks_and_their_cost_counts_afterwards) {
  on_ranks(GetParam(), [&](communicator& world) {
    std::vector<double> const works = drawn_works(11);
    double own = 0;
    task_collection<std::uint32_t> all(world, {.name = "due once", .steals = false},
                                       [&](std::uint32_t n) { own += works[n]; });
    if (world.rank() == 0) {
      for (std::uint32_t n = 0; n < tasks; ++n) all.add(n, works[n]);
    }
    EXPECT_EQ(all.rebalance_if_due("hierarchical"), world.size() > 1);
    EXPECT_EQ(world.sum(all.num_waiting()), tasks);
    all.process();
    EXPECT_LE(world.max(own), world.sum(own) / world.size() + 16);
    static_cast<void>(all.rebalance_if_due("hierarchical"));  // by times
    EXPECT_EQ(world.sum(all.num_recorded()), tasks);
  });
}

TEST_P(task_works, count_again_after_more_tasks_were_added) {
  on_ranks(GetParam(), [&](communicator& world) {
    double own = 0;
    task_collection<double> all(world, {.name = "again", .steals = false}, [&](double work) { own += work; });
    for (double const work : {1.0, 8.0, 64.0, 2.0, 16.0, 1024.0}) {
      // The largest work grows, so that the loads of earlier ones change.
      if (world.rank() == 0) {
        for (int n = 0; n < 20; ++n) all.add(work, work);
      }
      all.rebalance("centralised");
    }
    all.process();
    EXPECT_EQ(world.sum(own), 20 * (1 + 8 + 64 + 2 + 16 + 1024));
    EXPECT_LE(world.max(own), world.sum(own) / world.size() + 1024);
  });
}

TEST_P(task_works, are_finite_and_more_than_0_and_refused_tasks_do_not_wait) {
  on_ranks(GetParam(), [&](communicator& world) {
    for (bool const threads : {false, true}) {
      std::optional<pool> some;
      std::optional<rank_pool> workers;
      if (threads) workers.emplace(world, some.emplace(1));
      task_collection<int> all(world, {.name = "refused"}, [](int) {});
      constexpr double infinite = std::numeric_limits<double>::infinity();
      for (double const work : {0.0, -0.0, -1.0, infinite, -infinite, std::numeric_limits<double>::quiet_NaN()}) {
        EXPECT_NE(said_by([&] { all.add(1, work); }).find("allowed: a finite work that is more than 0"),
                  std::string::npos)
            << work;
      }
      EXPECT_EQ(all.num_waiting(), 0U);
      all.add(1, std::numeric_limits<double>::denorm_min());
      all.add(2, std::numeric_limits<double>::max());
      all.rebalance("centralised");
      all.rebalance("hierarchical");
      EXPECT_EQ(world.sum(all.num_waiting()), 2 * world.size());
    }
  });
}

TEST_P(task_works, must_be_those_of_all_tasks_of_all_ranks) {
  on_ranks(GetParam(), [&](communicator& world) {
    bool const last = world.rank() + 1 == world.size();
    int ran = 0;
    task_collection<int> all(world, {.name = "mixed"}, [&](int) { ++ran; });
    auto const refuses = [&] {
      std::string const said = said_by([&] { all.rebalance("centralised"); });
      EXPECT_NE(said.find("'mixed': rebalance where no executed tasks are recorded; allowed:"), std::string::npos)
          << said;
      EXPECT_NE(said.find("or before process() if every task that waits was added with its work"), std::string::npos)
          << said;
      EXPECT_NE(said_by([&] {
                  static_cast<void>(all.rebalance_if_due("centralised"));
                }).find("'mixed': rebalance_if_due where no executed tasks are recorded; allowed:"),
                std::string::npos);
    };
    refuses();  // nothing waits
    if (last) all.add(1, 2.5);
    all.rebalance("centralised");  // one task is enough
    if (last) all.add(2);
    refuses();
    all.process();
    EXPECT_EQ(world.sum(ran), 2);
    all.add(3, 1);
    all.rebalance("centralised");  // of the record
    EXPECT_EQ(world.sum(all.num_recorded()), 2U);
    EXPECT_EQ(all.num_waiting(), 1U);
    if (last) all.restore();
    if (world.size() > 1) refuses();  // ranks are in different states
    if (!last) all.restore();
    refuses();  // restored tasks have no work
    all.process();
    EXPECT_EQ(world.sum(ran), 2 + 2 + world.size());
  });
}

TEST_P(task_works, stay_where_they_are_if_there_is_no_such_balancer) {
  on_ranks(GetParam(), [&](communicator& world) {
    int ran = 0;
    task_collection<int> all(world, {.name = "kept"}, [&](int) { ++ran; });
    for (int n = 0; n < 5; ++n) all.add(n, 1.0 + n);
    EXPECT_NE(said_by([&] { all.rebalance("hierarchcal"); }).find("hierarch"), std::string::npos);
    EXPECT_EQ(all.num_waiting(), 5U);
    EXPECT_EQ(all.num_recorded(), 0U);
    all.rebalance("hierarchical");
    all.process();
    EXPECT_EQ(world.sum(ran), 5 * world.size());
  });
}

TEST_P(task_works, have_no_effect_in_a_task) {
  on_ranks(GetParam(), [&](communicator& world) {
    int ran = 0;
    task_collection<int>* all = nullptr;
    task_collection<int> spawning(world, {.name = "spawning"}, [&](int n) {
      ++ran;
      if (n > 0) all->add(n - 1, 3.5);
    });
    all = &spawning;
    spawning.add(2, 1);
    spawning.process();
    EXPECT_EQ(world.sum(ran), 3 * world.size());
    EXPECT_EQ(world.sum(spawning.num_recorded()), world.size()) << "spawned tasks are not recorded";
    EXPECT_EQ(spawning.num_waiting(), 0U);
  });
}

TEST(task_work, keeps_its_order_and_its_size_as_a_load) {
  for (double const largest : {1.0, 3e-310, 1.7e308}) {
    for (double part = 1; part > 1e-9; part /= 3) {
      double const work = part * largest;
      EXPECT_NEAR(work_of(load_of(work, largest), largest) / largest, work / largest, std::exp2(-load_bits));
    }
    EXPECT_EQ(load_of(largest, largest), std::uint64_t{1} << load_bits);
    EXPECT_EQ(load_of(std::numeric_limits<double>::denorm_min(), 1.7e308), 1U);
    EXPECT_TRUE(is_work(work_of(1, largest)));
  }
}

INSTANTIATE_TEST_SUITE_P(of_ranks, task_works, ::testing::ValuesIn(numbers_of_ranks()));

}}}}  // namespace skua::v0::ranks
