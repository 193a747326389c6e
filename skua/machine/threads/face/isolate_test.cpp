// SPDX-License-Identifier: MIT
// Isolation: while a task waits inside of it, its thread runs no other task.
#include "skua/machine/threads/face/isolate.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

#include "skua/skua.hpp"
#include "tests/programs/every_policy.hpp"
#include "tests/programs/fib.hpp"
#include "tests/programs/this_thread.hpp"
#include "tests/programs/wait_until.hpp"

namespace {

using skua::testing::this_thread_number;
using skua::testing::wait_until;

class isolation : public skua::testing::under_every_policy {};

/// True if the policy decides where the children of a fork run, so that nobody need come for them.
bool places_forks(std::string const& policy) {
  return policy.ends_with("adws") || policy.ends_with("replay") || policy.ends_with("auto");
}

}  // namespace

// The stolen child lasts until the thread that waits for it would have taken the other task.
TEST_P(isolation, a_waiting_thread_runs_no_other_task) {
  if (places_forks(GetParam())) GTEST_SKIP() << "nobody need come for the child there";
  skua::pool pool({.workers = 2, .policy = GetParam()});
  int mixed = 0;
  int waited = 0;
  for (int round = 0; round < 10; ++round) {
    pool.run([&](auto&) {
      auto const me = this_thread_number();
      std::atomic<bool> is_inside{false};
      skua::task_group others;
      others.run([&] {
        if (is_inside.load() && this_thread_number() == me) ++mixed;
      });
      skua::isolate([&](auto& alone) {
        is_inside = true;
        std::atomic<bool> stolen{false};
        alone.join([&](auto&) { wait_until("the other worker has the second child", [&] { return stolen.load(); }); },
                   [&](auto&) {
                     stolen = true;
                     if (this_thread_number() != me) ++waited;
                     std::this_thread::sleep_for(std::chrono::milliseconds(5));
                   });
        EXPECT_EQ(this_thread_number(), me);
        is_inside = false;
      });
      others.wait();
    });
  }
  EXPECT_EQ(mixed, 0);
  EXPECT_EQ(waited, 10);
}

// Whatever the policy does with the section's children: others may help, and nothing else runs on its thread.
TEST_P(isolation, whoever_helps_no_other_task_runs_on_the_sections_thread) {
  skua::pool pool({.workers = 2, .policy = GetParam()});
  std::atomic<int> mixed{0};
  std::atomic<int> ran{0};
  constexpr int rounds = 30;
  for (int round = 0; round < rounds; ++round) {
    pool.run([&](auto& here) {
      here.join([](auto&) {}, [](auto&) {});  // replay and adws have seen a group of this task
      auto const me = this_thread_number();
      std::atomic<bool> is_inside{false};
      skua::task_group others;
      for (int i = 0; i < 4; ++i) {
        others.run([&] {
          if (is_inside.load() && this_thread_number() == me) ++mixed;
        });
      }
      auto const child = [&](auto& h) {
        ++ran;
        EXPECT_EQ(skua::testing::fib(h, 9), 34);
      };
      skua::isolate([&](auto& alone) {
        is_inside = true;
        alone.join(child, child);
        alone.join_each(std::array{1, 2, 3, 4}, [&](auto& h, int) { child(h); });
        alone.scope([&](auto& s) {
          for (int i = 0; i < 4; ++i) s.spawn(child);
        });
        alone.finish([&](auto& f) {
          for (int i = 0; i < 4; ++i) f.spawn([&](auto& g) { child(g.here()); });
        });
        EXPECT_EQ(this_thread_number(), me);
        is_inside = false;
      });
      others.wait();
    });
  }
  EXPECT_EQ(mixed, 0);
  EXPECT_EQ(ran, 14 * rounds);
}

TEST_P(isolation, a_scopes_child_sees_a_failure_around_the_scope_while_its_owner_waits) {
  if (places_forks(GetParam())) GTEST_SKIP() << "nobody need come for the child there";
  skua::pool pool({.workers = 3, .policy = GetParam()});
  for (int round = 0; round < 10; ++round) {
    std::atomic<bool> runs{false};
    auto const wait_for_the_child = [&] { wait_until("a scope's child is stolen", [&] { return runs.load(); }); };
    auto const with_scope = [&](auto& here) {
      here.scope([&](auto& s) {
        s.spawn([&](auto& child) {
          runs = true;
          wait_until("a scope's child sees the failure", [&] { return child.stop_requested(); });
        });
        wait_for_the_child();
      });
    };
    auto const fails = [&](auto&) {
      wait_for_the_child();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      throw std::runtime_error("stolen");
    };
    EXPECT_THROW(pool.run([&](auto&) { skua::isolate([&](auto& alone) { alone.join(with_scope, fails); }); }),
                 std::runtime_error);
  }
}

TEST_P(isolation, exceptions_pass_and_the_next_wait_is_as_usual) {
  skua::pool pool({.workers = 2, .policy = GetParam()});
  pool.run([&](auto& h) {
    for (int i = 0; i < 20; ++i) {
      EXPECT_THROW(skua::isolate([&](auto& alone) {
                     alone.join([](auto& g) { return skua::testing::fib(g, 8); },
                                [](auto&) -> long { throw std::runtime_error("no"); });
                   }),
                   std::runtime_error);
      EXPECT_EQ(skua::isolate([&] { return skua::isolate([] { return 7; }); }), 7);
      EXPECT_EQ(skua::testing::fib(h, 12), 144);
    }
  });
}

TEST_P(isolation, all_children_run_although_something_else_waits) {
  skua::pool pool({.workers = 1});
  auto const region = pool.open_region(GetParam());
  region.run([&](auto&) {
    pool.enqueue([] {});  // another region has a turn now
    int ran = 0;
    skua::isolate([&](auto& alone) {
      alone.scope([&](auto& s) {
        for (int i = 0; i < 100; ++i) s.spawn([&](auto&) { ++ran; });
      });
      alone.finish([&](auto& f) {
        for (int i = 0; i < 100; ++i) f.spawn([&](auto&) { ++ran; });
      });
    });
    EXPECT_EQ(ran, 200);
  });
}

// A task that runs at once, on top of the body of another region, is stopped by its own region's failures only.
TEST_P(isolation, a_task_of_the_outer_region_goes_on_when_the_inner_one_has_failed) {
  skua::pool pool({.workers = 1, .policy = GetParam()});
  pool.run([&](auto&) {
    int went_on = 0;
    bool inner_stops = false;
    skua::isolate([&](auto& alone) {
      alone.finish([&](auto& outer) {
        auto const fail = [](auto&) { throw std::runtime_error("one"); };
        auto const inner_region = [&](auto& inner) {
          inner.spawn(fail);
          inner_stops = alone.stop_requested();
          outer.spawn([&](auto&) { went_on += alone.stop_requested() ? 0 : 1; });
        };
        EXPECT_THROW(alone.finish(inner_region), std::runtime_error);
      });
    });
    EXPECT_TRUE(inner_stops);
    EXPECT_EQ(went_on, 1);
  });
}

TEST_P(isolation, a_call_into_another_region_runs_on_the_isolated_thread) {
  for (std::uint32_t const workers : {1U, 3U}) {
    skua::pool pool({.workers = workers, .policy = GetParam()});
    auto const region = pool.open_region(GetParam());
    pool.run([&](auto&) {
      skua::isolate([&] {
        auto const me = this_thread_number();
        EXPECT_EQ(region.run([](auto& h) { return skua::testing::fib(h, 12); }), 144);
        EXPECT_EQ(region.run([](auto&) { return this_thread_number(); }), me);
      });
    });
  }
}

INSTANTIATE_TEST_SUITE_P(policies, isolation, ::testing::ValuesIn(skua::testing::checked_policies()),
                         skua::testing::policy_in_a_name);

/// A policy that places both children: an isolated call keeps them, also after another one inside of it has ended.
TEST(isolation_under_placement, lasts_until_the_outer_call_ends) {
  skua::pool pool({.workers = 2, .policy = "checked:adws"});
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> elsewhere{0};
    pool.run([&](auto&) {
      skua::isolate([&](auto& alone) {
        auto const me = this_thread_number();
        auto const count = [&](auto&) { elsewhere += this_thread_number() == me ? 0 : 1; };
        alone.join(count, count);
        skua::isolate([](auto& inner) { inner.join([](auto&) {}, [](auto&) {}); });
        alone.join(count, count);
      });
    });
    EXPECT_EQ(elsewhere.load(), 0) << "round " << round;
  }
}

TEST(isolation_of_conventional_calls, a_lock_may_be_held_across_a_loop) {
  // std::mutex is not recursive: another task of this test on a thread that waits would lock it twice.
  std::mutex one;
  int sum = 0;
  skua::parallel_for(0, 100, [&](int) {
    skua::isolate([&] {
      std::lock_guard const hold(one);
      std::atomic<int> counted{0};
      skua::parallel_for(0, 50, [&](int) { ++counted; });
      sum += counted.load();
    });
  });
  EXPECT_EQ(sum, 5000);
}
