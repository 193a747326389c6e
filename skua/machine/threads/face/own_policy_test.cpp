// SPDX-License-Identifier: MIT
// Regions under a policy that the program brings, and what such a policy may ask of the threads machine.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>

#include "skua/policy/demanding_for_test.hpp"
#include "skua/policy/protocol_checker.hpp"
#include "skua/skua.hpp"
#include "tests/programs/fib.hpp"

namespace {

using namespace std::chrono_literals;
using skua::policies::demands;
using skua::policies::lane;
using skua::testing::fib;

/// A factory of checked policies that demand this.
auto demanding(demands const& by, skua::policies::seen_demands& seen) {
  return [=, &seen](skua::policies::policy_setup const& from) {
    return std::make_unique<skua::policies::protocol_checker>(
        std::make_unique<skua::policies::demanding>(from.layout, from.seed, by, seen), from.layout.workers());
  };
}

void work_for(std::chrono::microseconds time) {
  auto const end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {}
}

std::uint64_t in_ns(std::chrono::nanoseconds time) { return static_cast<std::uint64_t>(time.count()); }

TEST(own_policy, runs_a_region) {
  skua::policies::seen_demands seen;
  skua::pool pool({.workers = 3});
  auto const region = pool.open_region(demanding({}, seen), 2);
  EXPECT_EQ(region.policy(), "checked:demanding");
  EXPECT_EQ(region.run([](auto& h) { return fib(h, 18); }), 2584);
  EXPECT_GE(seen.ended, 1U);
}

TEST(own_policy, what_its_factory_throws_reaches_the_caller) {
  skua::pool pool({.workers = 1});
  auto const throws = [](skua::policies::policy_setup const&) -> std::unique_ptr<skua::policies::policy> {
    throw std::runtime_error("no model");
  };
  EXPECT_THROW(static_cast<void>(pool.open_region(throws)), std::runtime_error);
  EXPECT_EQ(pool.run([](auto& h) { return fib(h, 10); }), 55);
}

TEST(own_policy, a_factory_may_use_the_pool) {
  skua::policies::seen_demands seen;
  skua::pool pool({.workers = 2});
  auto const region = pool.open_region([&](skua::policies::policy_setup const& from) {
    EXPECT_EQ(pool.open_region("random").run([](auto& h) { return fib(h, 10); }), 55);
    return std::make_unique<skua::policies::demanding>(from.layout, from.seed, demands{}, seen);
  });
  EXPECT_EQ(region.run([](auto& h) { return fib(h, 10); }), 55);
}

TEST(own_policy, learns_no_times_that_it_does_not_need) {
  skua::policies::seen_demands seen;
  skua::pool pool({.workers = 2});
  pool.open_region(demanding({}, seen)).run([](auto&) { work_for(100us); });
  EXPECT_GE(seen.ended, 1U);
  EXPECT_EQ(seen.ran_ns, 0U);
}

TEST(own_policy, hears_of_rests_only_if_it_needs_that) {
  skua::policies::seen_demands seen;
  skua::policies::seen_demands otherwise;
  skua::pool pool({.workers = 2});
  auto const region = pool.open_region(demanding({.needs = {.rests = true}}, seen));
  auto const plain = pool.open_region(demanding({}, otherwise));
  // A worker that waits for the end of a run rests before it sleeps.
  while (seen.rests == 0) region.run([](auto& h) { return fib(h, 12); });
  plain.run([](auto& h) { return fib(h, 12); });
  EXPECT_EQ(otherwise.rests, 0U);
}

TEST(own_policy, learns_how_long_tasks_ran) {
  skua::policies::seen_demands seen;
  skua::pool pool({.workers = 2});
  auto const region = pool.open_region(demanding({.needs = {.times = skua::policies::which_tasks::all}}, seen));
  auto const begin = std::chrono::steady_clock::now();
  region.run([](auto& h) { h.join_each(std::array{1, 2, 3, 4}, [](auto&, int) { work_for(500us); }); });
  auto const took = std::chrono::steady_clock::now() - begin;
  EXPECT_GE(seen.ran_ns, in_ns(4 * 500us));
  EXPECT_LE(seen.ran_ns, 2 * in_ns(took)) << "two workers";
}

TEST(own_policy, learns_times_without_waits) {
  skua::policies::seen_demands seen;
  skua::pool pool({.workers = 2});
  auto const region = pool.open_region(demanding({.needs = {.times = skua::policies::which_tasks::all}}, seen), 1);
  skua::one_shot<int> answer;
  std::chrono::steady_clock::time_point waits_since;
  std::thread other([&] {
    while (seen.waits == 0) std::this_thread::yield();
    waits_since = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(50ms);
    answer.set_value(1);
  });
  auto const begin = std::chrono::steady_clock::now();
  EXPECT_EQ(region.run([&](auto& h) {
    work_for(500us);
    int const got = answer.wait(h);
    work_for(500us);
    return got;
  }),
            1);
  auto const took = std::chrono::steady_clock::now() - begin;
  other.join();
  // `waiting` is told just before the clock stops: what passes in between counts for the task.
  EXPECT_GE(seen.ran_ns, in_ns(1ms));
  EXPECT_LE(seen.ran_ns + in_ns(40ms), in_ns(took)) << "it waited for 50 ms";
}

TEST(own_policy, is_asked_again_where_a_popped_task_goes_and_may_send_it_on) {
  for (std::uint32_t const workers : {1U, 2U, 4U}) {
    SCOPED_TRACE(workers);
    skua::policies::seen_demands seen;
    skua::pool pool({.workers = workers});
    auto const region = pool.open_region(demanding(
        {.needs = {.lanes = {lane::migrated}, .chosen = skua::policies::which_tasks::all}, .sends = true}, seen));
    std::atomic<int> ran{0};
    region.run([&](auto& h) {
      for (int round = 0; round < 20; ++round) {
        // A task that waits for its children without calling them: its worker pops them.
        skua::one_shot<void> all;
        std::atomic<int> left{20};
        skua::task_group group;
        for (int i = 0; i < 20; ++i) {
          group.run([&] {
            ++ran;
            if (--left == 0) all.set_value();
          });
        }
        all.wait(h);
        group.wait();
      }
    });
    EXPECT_EQ(ran, 400);
    if (workers == 1) {
      EXPECT_EQ(seen.chosen, 400U);
    }
    EXPECT_EQ(seen.sent, seen.migrated);
  }
}

TEST(own_policy, a_width_is_refused_and_the_task_runs_alone) {
  skua::policies::seen_demands seen;
  skua::pool pool({.workers = 3});
  auto const region = pool.open_region(demanding({.width = 300}, seen));
  EXPECT_EQ(region.run([](auto& h) { return fib(h, 18); }), 2584);
  EXPECT_GE(seen.refused, 1U);
}

TEST(own_policy, lanes_that_it_does_not_need_take_nothing) {
  skua::policies::seen_demands seen;
  skua::pool pool({.workers = 2});
  // Not checked: the checker would name the lane.
  auto const region = pool.open_region([&](skua::policies::policy_setup const& from) {
    return std::make_unique<skua::policies::demanding>(
        from.layout, from.seed, demands{.needs = {.chosen = skua::policies::which_tasks::all}, .sends = true}, seen);
  });
  std::atomic<int> ran{0};
  region.run([&](auto& h) {
    skua::one_shot<void> all;
    skua::task_group group;
    for (int i = 0; i < 20; ++i) {
      group.run([&] {
        if (++ran == 20) all.set_value();
      });
    }
    all.wait(h);
    group.wait();
  });
  EXPECT_EQ(ran, 20);
  EXPECT_EQ(seen.migrated, 0U);
}

TEST(own_policy, a_caller_beside_a_full_region_works_under_it_too) {
  skua::policies::seen_demands seen;
  skua::pool pool({.workers = 1});
  std::atomic<int> made{0};
  auto const region = pool.open_region([&](skua::policies::policy_setup const& from) {
    ++made;
    return std::make_unique<skua::policies::demanding>(from.layout, from.seed, demands{}, seen);
  });
  std::atomic<int> met{0};
  auto const meet = [&] {
    region.run([&](auto&) {
      ++met;
      while (met < 2) std::this_thread::yield();
    });
  };
  std::thread other(meet);
  meet();
  other.join();
  EXPECT_EQ(made, 2) << "one for the region, one for the caller that found no place";
}

}  // namespace
