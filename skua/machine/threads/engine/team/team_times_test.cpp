// SPDX-License-Identifier: MIT
// What a policy learns of a team's time on threads, and of workers that another region has.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <thread>

#include "skua/policy/arms/arms.hpp"
#include "skua/policy/protocol_checker.hpp"
#include "skua/skua.hpp"
#include "tests/programs/wait_until.hpp"

namespace {

using skua::policies::adaptive_moldable, skua::policies::arms_options;
using namespace std::chrono_literals;

constexpr skua::task_type type{1};
constexpr skua::address there = skua::address::at(0.1);

/// A region under arms, whose policy the test sees.
struct seen_region {
  adaptive_moldable const* policy = nullptr;
  skua::region region;

  seen_region(skua::pool& pool, arms_options const& options)
      : region(pool.open_region([&](skua::policies::policy_setup const& from) {
          auto made = std::make_unique<adaptive_moldable>(from.layout, from.seed, options);
          policy = made.get();
          return std::make_unique<skua::policies::protocol_checker>(std::move(made), from.layout.workers());
        })) {}

  /// A chain of n nodes; each member calls body(team).
  void run_chain(int n, auto const& body) {
    region.run([&](auto& here) {
      skua::flow graph(here);
      auto last = graph.add_team(there, type, [&](auto& team) { body(team); });
      for (int i = 1; i < n; ++i)
        last = graph.add_team(there, type, skua::after(last), [&](auto& team) { body(team); });
      graph.run(here);
    });
  }
};

}  // namespace

TEST(team_times, reach_from_the_choice_to_the_end_of_the_last_member) {
  skua::pool pool({.workers = 2});
  seen_region r(pool, {.cost = skua::policies::arms::cost::time});
  std::atomic<int> teams{0};
  r.run_chain(8, [&](auto& team) {
    if (team.width() == 1) return std::this_thread::sleep_for(1ms);
    if (team.member() == 0) ++teams;
    if (team.member() == 1) std::this_thread::sleep_for(2ms);
  });
  ASSERT_GT(teams, 0);
  auto const& all = r.policy->partitions();
  bool found = false;
  for (std::uint32_t p = 0; p < all.all().size(); ++p) {
    std::uint64_t const ns = r.policy->time_ns(type.number, there, skua::policies::arms::partition_id{p});
    if (all.all()[p].width == 1 || ns == 0) continue;
    EXPECT_GE(ns, 2'000'000U) << "the leader has nothing to do";
    found = true;
  }
  EXPECT_TRUE(found);
  EXPECT_EQ(r.policy->ended(type.number, 2), static_cast<std::uint64_t>(teams.load()));
}

/// Members that are dropped end at once: their time would make teams look fast.
TEST(team_times, of_a_team_that_failed_are_not_learnt) {
  skua::pool pool({.workers = 2});
  seen_region r(pool, {.cost = skua::policies::arms::cost::time});
  EXPECT_THROW(r.run_chain(8,
                           [&](auto& team) {
                             if (team.width() == 1) return std::this_thread::sleep_for(1ms);
                             throw std::runtime_error("a member");
                           }),
               std::runtime_error);
  auto const& all = r.policy->partitions();
  for (std::uint32_t p = 0; p < all.all().size(); ++p) {
    if (all.all()[p].width > 1) {
      EXPECT_EQ(r.policy->time_ns(type.number, there, skua::policies::arms::partition_id{p}), 0U);
    }
  }
}

/// The type of what each case runs has no time then, and has one if nothing throws. `runs(here, f)` runs a task that calls f(): of this
/// type, on one worker.
TEST(team_times, of_what_failed_on_one_worker_are_not_learnt) {
  skua::pool pool({.workers = 2});
  auto const learns = [&](bool fails, auto const& runs) {
    seen_region r(pool, {.width = 1});
    auto const maybe_throw = [&] {
      if (fails) throw std::runtime_error("a task");
    };
    try {
      r.region.run([&](auto& here) { runs(here, maybe_throw); });
      EXPECT_FALSE(fails);
    } catch (std::runtime_error const&) {
      EXPECT_TRUE(fails);
    }
    bool known = false;
    for (std::uint32_t p = 0; p < r.policy->partitions().all().size(); ++p)
      known |= r.policy->time_ns(type.number, there, skua::policies::arms::partition_id{p}) != 0;
    return known;
  };
  auto const node = [](auto& here, auto const& f) {
    skua::flow graph(here);
    graph.add(there, type, [&](auto&) { f(); });
    graph.run(here);
  };
  auto const moldable = [](auto& here, auto const& f) {
    skua::flow graph(here);
    graph.add_team(there, type, [&](auto&) { f(); });
    graph.run(here);
  };
  auto const spawned = [](auto& here, auto const& f) {
    here.finish([&](auto& region) { region.spawn(there | type, [&](auto&) { f(); }); });
  };
  auto const check = [&](char const* what, auto const& runs) {
    EXPECT_TRUE(learns(false, runs)) << what;
    EXPECT_FALSE(learns(true, runs)) << what;
  };
  check("node", node);
  check("moldable node", moldable);
  check("spawned task", spawned);
}

/// What was spawned before the region stopped is dropped.
TEST(team_times, of_what_was_dropped_are_not_learnt) {
  skua::pool pool({.workers = 1});
  seen_region r(pool, {});
  int ran = 0;
  EXPECT_THROW(r.region.run([&](auto& here) {
    here.finish([&](auto& region) {
      for (int i = 0; i < 20; ++i) region.spawn(there | type, [&](auto&) { ++ran; });
      throw std::runtime_error("the body");
    });
  }),
               std::runtime_error);
  EXPECT_EQ(ran, 0);
  EXPECT_EQ(r.policy->ended(type.number, 1), 20U);
  EXPECT_EQ(r.policy->time_ns(type.number, there, skua::policies::arms::partition_id{0}), 0U);
}

/// The worker of `node` finds the member of a team in its inbox, which it begins before the task that `node` has released; and the
/// other worker sleeps. That task runs while the member does.
TEST(team_times, what_a_node_releases_does_not_wait_for_a_member_that_came_before_it) {
  skua::pool pool({.workers = 2});
  seen_region r(pool, {.cost = skua::policies::arms::cost::time});
  constexpr skua::task_type single{2};
  std::atomic<int> wide{0};
  std::atomic<std::uint32_t> at{99};
  std::atomic<bool> other_has_ended{false};
  std::atomic<bool> successor_has_run{false};
  r.region.run([&](auto& here) {
    skua::flow graph(here);
    auto const node = graph.add(single, [&](auto& h) {
      at = index(h.worker());
      skua::testing::wait_until("the team's other member has ended", [&] { return other_has_ended.load(); });
      std::this_thread::sleep_for(5ms);  // its worker falls asleep meanwhile, as a rule; no event tells
    });
    graph.add(single, skua::after(node), [&](auto&) { successor_has_run = true; });
    auto const first = graph.add_team(
        type, [&](auto&) { skua::testing::wait_until("the node has begun", [&] { return at.load() != 99; }); });
    graph.add_team(type, skua::after(first), [&](auto& team) {
      wide = static_cast<int>(team.width());
      if (team.width() == 1 || team.member() != at) {
        other_has_ended = true;
      } else {
        skua::testing::wait_until("the node's successor has run", [&] { return successor_has_run.load(); });
      }
    });
    graph.run(here);
  });
  EXPECT_EQ(wide, 2);
}

/// Worker 1 is in another region until the chain has ended. A team with it would wait for ever.
TEST(team_times, no_team_is_formed_with_a_worker_that_another_region_has) {
  skua::pool pool({.workers = 2});
  seen_region r(pool, {});
  auto other = pool.open_region("random");
  std::atomic<int> occupied{0};
  std::atomic<bool> ended{false};
  std::atomic<int> wide{0};
  std::thread rest([&] {
    other.run([&](auto&) {
      ++occupied;
      skua::testing::wait_until("the chain has ended", [&] { return ended.load(); });
    });
  });
  skua::testing::wait_until("a worker is occupied", [&] { return occupied.load() == 1; });
  r.run_chain(200, [&](auto& team) {
    if (team.width() > 1) ++wide;
    std::this_thread::sleep_for(10us);
  });
  ended = true;
  rest.join();
  EXPECT_EQ(wide, 0);
}
