// SPDX-License-Identifier: MIT
// Pools: their life, many at once, nested, with threads from outside, regions, fork(), sleep.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "skua/machine/threads/engine/core/pool_core.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/skua.hpp"
#include "tests/programs/fib.hpp"
#include "tests/programs/wait_until.hpp"

namespace {

using namespace std::chrono_literals;
using skua::testing::fib;

TEST(pool, values_references_and_nothing_come_back) {
  skua::pool pool({.workers = 2});
  int x = 1;
  EXPECT_EQ(pool.run([](auto&) { return 7; }), 7);
  pool.run([&](auto&) { x = 2; });
  EXPECT_EQ(x, 2);
  EXPECT_EQ(pool.num_workers(), 2U);
  char const* const asked_for = std::getenv("SKUA_POLICY");
  EXPECT_EQ(pool.policy(), asked_for == nullptr || *asked_for == '\0' ? "auto" : asked_for);
}

TEST(pool, takes_a_number_of_workers_or_a_policy_alone) {
  skua::pool four(4);
  EXPECT_EQ(four.num_workers(), 4U);
  EXPECT_EQ(four.run([](auto& h) { return fib(h, 12); }), 144);
  skua::pool adws("adws");
  EXPECT_EQ(adws.policy(), "adws");
  std::string const name = "hierarchical";
  EXPECT_EQ(skua::pool(name).policy(), name);
  EXPECT_THROW(skua::pool(1LL << 40), skua::usage_error);
}

TEST(pool, refuses_what_makes_no_sense) {
  EXPECT_THROW(skua::pool({.workers = 0}), skua::usage_error);
  EXPECT_THROW(skua::pool(0), skua::usage_error);
  EXPECT_THROW(skua::pool(-1), skua::usage_error);
  EXPECT_THROW(skua::pool("adsw"), skua::usage_error);
  EXPECT_THROW(skua::pool({.workers = 1'000'000}), skua::usage_error);
  EXPECT_THROW(skua::pool({.policy = "nonsense"}), skua::usage_error);
  EXPECT_THROW(skua::pool({.stack_bytes = 1}), skua::usage_error);
  EXPECT_THROW(skua::pool({.topology = "package:0"}), skua::usage_error);
  EXPECT_THROW(skua::pool({.topology = "/no/such/file.xml"}), skua::usage_error);
}

TEST(pool, many_threads_from_outside_may_submit_and_wait) {
  skua::pool pool({.workers = 3});
  std::vector<std::thread> users;
  std::atomic<int> right{0};
  for (int u = 0; u < 6; ++u) {
    users.emplace_back([&] {
      for (int i = 0; i < 50; ++i) right += pool.run([](auto& h) { return fib(h, 12); }) == 144 ? 1 : 0;
    });
  }
  for (auto& u : users) u.join();
  EXPECT_EQ(right.load(), 300);
}

TEST(pool, several_may_live_at_once_and_one_inside_the_other) {
  skua::pool outer({.workers = 2});
  skua::pool inner({.workers = 2, .policy = "hierarchical"});
  for (int i = 0; i < 20; ++i) {
    auto const sum = outer.run([&](auto& h) {
      auto [a, b] =
          h.join([&](auto&) { return inner.run([&](auto& g) { return fib(g, 10); }); },
                 [&](auto&) { return inner.run([&](auto&) { return outer.run([](auto& g) { return fib(g, 9); }); }); });
      return a + b;
    });
    EXPECT_EQ(sum, 55 + 34);
  }
}

TEST(pool, run_from_a_task_of_the_pool_is_a_call) {
  skua::pool pool({.workers = 1});
  EXPECT_EQ(pool.run([&](auto&) { return pool.run([](auto& h) { return fib(h, 10); }); }), 55);
}

TEST(pool, regions_mix_policies) {
  skua::pool pool({.workers = 4, .policy = "random"});
  auto const near = pool.open_region("hierarchical", 2);
  EXPECT_EQ(near.num_workers(), 2U);
  EXPECT_EQ(near.policy(), "hierarchical");
  auto const sum = pool.run([&](auto& h) {
    auto [a, b] = h.join([&](auto&) { return near.run([](auto& g) { return fib(g, 15) + g.num_workers(); }); },
                         [](auto& g) { return fib(g, 15) + g.num_workers(); });
    return a + b;
  });
  EXPECT_EQ(sum, 610 + 2 + 610 + 4);
}

TEST(pool, a_region_moves_and_what_it_moved_from_can_hold_another) {
  skua::pool pool({.workers = 2});
  auto const ten = [](skua::region const& in) { return in.run([](auto& h) { return fib(h, 10); }); };
  skua::region first = pool.open_region("adws");
  skua::region moved = std::move(first);
  EXPECT_EQ(moved.policy(), "adws");
  EXPECT_EQ(ten(moved), 55);
  first = pool.open_region("hierarchical", 1);  // what was moved from can be assigned to
  EXPECT_EQ(first.num_workers(), 1U);
  EXPECT_EQ(ten(first), 55);
  moved = std::move(first);  // closes the region that it held
  EXPECT_EQ(moved.policy(), "hierarchical");
  EXPECT_EQ(ten(moved), 55);
  std::vector<skua::region> many;
  for (int i = 0; i < 5; ++i) many.push_back(pool.open_region("random"));
  for (skua::region const& r : many) EXPECT_EQ(ten(r), 55);
  EXPECT_EQ(pool.run([](auto& h) { return fib(h, 10); }), 55);
}  // the pool's destructor expects that all regions are closed but those that die before it

// adws sends a region's root to worker 0, which here waits in another region for what the root does.
TEST(pool, a_root_of_adws_runs_although_worker_0_waits_for_it) {
  skua::pool pool({.workers = 2, .policy = "random"});
  auto const spread = pool.open_region("adws", 2);
  for (int i = 0; i < 5; ++i) {
    std::atomic<bool> ran{false};
    auto const side = [&](auto&) {
      if (skua::this_worker() == skua::worker_id{0}) {
        while (!ran.load()) std::this_thread::yield();
      } else {
        spread.run([&](auto&) { ran = true; });
      }
    };
    pool.run([&](auto& h) { h.join(side, side); });
    EXPECT_TRUE(ran.load());
  }
}

/// The message of the usage_error.
template <class F>
std::string refusal(F&& f) {
  try {
    f();
  } catch (skua::usage_error const& wrong) {
    return wrong.what();
  }
  return "accepted";
}

TEST(pool, what_a_program_cannot_mean_is_refused_by_name) {
  skua::pool two({.workers = 2});
  EXPECT_EQ(refusal([&] { static_cast<void>(two.open_region("adws", 99)); }), "a region of 99 workers: the pool has 2");
  EXPECT_EQ(refusal([] { skua::pool({.workers = 1, .spin = -1ns}); }).find("pool option spin is -1 ns; allowed: "), 0U);
  EXPECT_EQ(refusal([] { skua::pool({.workers = 1, .spin = 0ns}); }), "accepted");
  EXPECT_EQ(refusal([] { skua::pool({.places = "foo"}); }).find("pool option places is 'foo': "), 0U);
  EXPECT_EQ(refusal([] { skua::pool({.policy = "randm"}); }).find("policy is 'randm'; allowed: auto, random, "), 0U);
}

TEST(pool, regions_open_and_close_while_the_pool_works) {
  skua::pool pool({.workers = 3});
  for (int i = 0; i < 200; ++i) {
    auto const region = pool.open_region(i % 2 == 0 ? "random" : "hierarchical", 1 + static_cast<std::uint32_t>(i % 3));
    EXPECT_EQ(region.run([](auto& h) { return fib(h, 10); }), 55);
  }
}

TEST(pool, can_be_made_and_destroyed_many_times) {
  for (int i = 0; i < 300; ++i) {
    skua::pool pool({.workers = 1 + static_cast<std::uint32_t>(i % 4)});
    if (i % 3 == 0) continue;
    EXPECT_EQ(pool.run([](auto& h) { return fib(h, 8); }), 21);
  }
}

TEST(pool, stacks_are_reused) {
  skua::pool pool({.workers = 4});
  for (int i = 0; i < 200; ++i) pool.run([](auto& h) { return fib(h, 16); });
  EXPECT_LE(skua::runtime::core_of(pool).stacks().count().peak, 64U);
}

TEST(pool, an_idle_pool_sleeps_and_wakes) {
  skua::pool pool({.workers = 4, .spin = 0ns});
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(pool.run([](auto& h) { return fib(h, 12); }), 144);
    if (i % 10 == 0) std::this_thread::sleep_for(2ms);
  }
  // When all workers sleep, no counter changes.
  auto total_attempts = [&] {
    std::uint64_t n = 0;
    for (auto const& c : pool.counters()) n += c.attempts + c.sleeps;
    return n;
  };
  std::uint64_t before = total_attempts();
  EXPECT_TRUE(skua::testing::wait_until("all workers of an idle pool sleep", [&] {
    std::this_thread::sleep_for(20ms);
    std::uint64_t const last = before;
    before = total_attempts();
    return before == last;
  }));
  EXPECT_EQ(pool.run([](auto& h) { return fib(h, 12); }), 144);
}

TEST(pool, works_with_no_spin_and_with_endless_spin) {
  for (auto spin : {std::chrono::nanoseconds{0}, std::chrono::nanoseconds::max()}) {
    skua::pool pool({.workers = 3, .spin = spin});
    for (int i = 0; i < 30; ++i) EXPECT_EQ(pool.run([](auto& h) { return fib(h, 14); }), 377);
  }
}

TEST(pool, every_worker_is_in_one_place_and_there_are_no_others) {
  skua::pool pool({.workers = 6, .topology = "package:3 l3:1 core:2"});
  ASSERT_EQ(pool.places(), 3U);
  std::uint32_t next = 0;
  for (std::uint32_t p = 0; p < pool.places(); ++p) {
    for (skua::worker_id const w : pool.workers_of(skua::place_id{p})) {
      EXPECT_EQ(index(w), next++);
      EXPECT_EQ(pool.place_of(w), skua::place_id{p});
    }
  }
  EXPECT_EQ(next, pool.num_workers());
  EXPECT_THROW(static_cast<void>(pool.workers_of(skua::place_id{3})), skua::usage_error);
  EXPECT_THROW(static_cast<void>(pool.workers_of(skua::anywhere)), skua::usage_error);
  EXPECT_THROW(static_cast<void>(pool.place_of(skua::worker_id{6})), skua::usage_error);
}

TEST(pool, counters_tell_what_happened) {
  skua::pool pool({.workers = 2, .count_forks = true});
  pool.run([](auto& h) { return fib(h, 20); });
  std::uint64_t forks = 0;
  std::uint64_t tasks = 0;
  // The workers bring counters up to date when the root task has ended, just after run has returned.
  skua::testing::wait_until("the counters show every fork of the run", [&] {
    forks = tasks = 0;
    for (auto const& c : pool.counters()) {
      forks += c.forks.value();
      tasks += c.tasks;
    }
    return forks >= 10'945;
  });
  EXPECT_EQ(forks, 10'945U);  // fib(21) - 1
  EXPECT_GE(tasks, 1U);
}

TEST(pool, forked_children_do_not_join_and_may_make_their_own) {
  if (skua::runtime::under_tsan) GTEST_SKIP() << "ThreadSanitizer allows no new threads in a child of fork()";
  skua::pool pool({.workers = 2});
  EXPECT_EQ(pool.run([](auto& h) { return fib(h, 10); }), 55);
  pid_t const child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    int wrong = 0;
    try {
      pool.run([](auto&) {});
      wrong = 1;
    } catch (skua::error const&) {}
    {
      skua::pool own({.workers = 2});
      if (own.run([](auto& h) { return fib(h, 10); }) != 55) wrong += 2;
    }
    skua::parallel_for(0, 10, [](int) {});
    ::_exit(wrong);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(pool.run([](auto& h) { return fib(h, 10); }), 55);
}

TEST(pool, environment_chooses_what_the_program_leaves_open) {
  ::setenv("SKUA_POLICY", "hierarchical", 1);
  ::setenv("SKUA_WORKERS", "3", 1);
  {
    skua::pool pool;
    EXPECT_EQ(pool.policy(), "hierarchical");
    EXPECT_EQ(pool.num_workers(), 3U);
  }
  {
    skua::pool pool({.workers = 2, .policy = "random"});
    EXPECT_EQ(pool.policy(), "random");
    EXPECT_EQ(pool.num_workers(), 2U);
  }
  ::setenv("SKUA_WORKERS", "many", 1);
  EXPECT_THROW(skua::pool{}, skua::usage_error);
  ::setenv("SKUA_WORKERS", "1", 1);
  for (std::string const wrong : {"randm", "RANDOM", "numa-ws:bias=0"}) {
    ::setenv("SKUA_POLICY", wrong.c_str(), 1);
    std::string const text = refusal([] { skua::pool{}; });
    EXPECT_EQ(text.find("SKUA_POLICY: "), 0U) << text;
    EXPECT_NE(text.find(" is '" + wrong.substr(wrong.find('=') + 1) + "'; allowed: "), std::string::npos) << text;
    EXPECT_EQ(refusal([] { skua::pool({.policy = "random"}); }), "accepted");
  }
  ::unsetenv("SKUA_POLICY");
  ::unsetenv("SKUA_WORKERS");
}

TEST(pool, sixty_four_workers_run_on_a_synthetic_machine) {
  skua::pool pool({.workers = 64, .policy = "hierarchical", .topology = "package:4 numa:1 l3:1 core:16 pu:1"});
  EXPECT_EQ(pool.layout().places(), 4U);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(pool.run([](auto& h) { return fib(h, 20); }), 6765);
}

TEST(pool, runs_functions_that_take_no_here) {
  skua::pool pool({.workers = 2});
  EXPECT_EQ(pool.run([] { return 3; }), 3);
  int calls = 0;
  pool.run([&] { ++calls; });
  auto const region = pool.open_region("adws");
  EXPECT_EQ(region.run([&]() mutable { return ++calls; }), 2);
  EXPECT_THROW(pool.run([] { throw std::runtime_error("as it is"); }), std::runtime_error);
  EXPECT_EQ(pool.run([](auto&... here) { return sizeof...(here); }), 1U) << "where both compile, f(here) is called";
  EXPECT_EQ(pool.run([&] { return pool.run([] { return 4; }); }), 4);
}

}  // namespace
