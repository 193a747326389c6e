// SPDX-License-Identifier: MIT
// The owner of a finish region runs the tasks that no worker has taken, and then need not wait: it parks only where others have something
// of the region, or where it leaves its tasks to the worker because it is tied to its thread (finish.md, "Waiting").
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include "skua/skua.hpp"
#include "tests/programs/wait_until.hpp"

namespace {

using skua::testing::wait_until;

std::uint64_t parked(skua::pool const& pool) {
  std::uint64_t n = 0;
  for (auto const& c : pool.counters()) n += c.parked;
  return n;
}

/// Keeps the pool's other worker, while it lives, and calls f() on this one.
template <class F>
void while_the_other_worker_is_kept(skua::fork_join auto& here, F const& f) {
  std::atomic<bool> runs{false};
  std::atomic<bool> may_end{false};
  here.join(
      [&](auto& h) {
        wait_until("the other worker comes", [&] { return runs.load(); });
        f(h);
        may_end = true;
      },
      [&](auto&) {
        runs = true;
        wait_until("the other worker may go on", [&] { return may_end.load(); });
      });
}

void spawn_some(auto& here, int& ran) {
  here.finish([&](auto& f) {
    for (int i = 0; i < 3; ++i) f.spawn([&](auto&) { ++ran; });
  });
}

}  // namespace

TEST(own_tasks, are_all_that_a_lone_owner_waits_for) {
  skua::pool pool({.workers = 1});
  int ran = 0;
  std::uint64_t before = 0;
  pool.run([&](auto& here) {
    before = parked(pool);
    for (int i = 0; i < 10; ++i) spawn_some(here, ran);
    EXPECT_EQ(parked(pool), before);
  });
  EXPECT_EQ(ran, 30);
}

TEST(own_tasks, are_run_by_an_owner_that_is_not_tied) {
  skua::pool pool({.workers = 2});
  skua::one_shot<> over;
  int ran = 0;
  pool.enqueue([&](auto& here) {
    while_the_other_worker_is_kept(here, [&](auto& h) {
      std::uint64_t const before = parked(pool);
      for (int i = 0; i < 10; ++i) spawn_some(h, ran);
      EXPECT_EQ(parked(pool), before);
    });
    over.set_value();
  });
  over.wait();
  EXPECT_EQ(ran, 30);
}

TEST(own_tasks, that_there_are_none_of_let_a_tied_owner_go_on) {
  skua::pool pool({.workers = 2});
  pool.run([&](auto& here) {
    while_the_other_worker_is_kept(here, [&](auto& h) {
      std::uint64_t const before = parked(pool);
      for (int i = 0; i < 10; ++i) h.finish([](auto&) {});
      EXPECT_EQ(parked(pool), before);
    });
  });
}

/// A push that asks for attention makes room, and stays. x would otherwise run on the caller's own stack, and go on only there.
TEST(own_tasks, of_a_tied_owner_are_left_also_where_the_lane_asks_for_attention) {
  skua::pool pool({.workers = 2});
  for (int round = 0; round < 5; ++round) {
    std::atomic<bool> held_runs{false};
    std::atomic<bool> held_may_end{false};
    std::atomic<bool> child_runs{false};
    std::atomic<bool> other_runs{false};
    std::atomic<bool> x_has_ended{false};
    auto const await = [](char const* what, std::atomic<bool> const& event) {
      wait_until(what, [&] { return event.load(); });
    };
    pool.run([&](auto& here) {
      here.finish([&](auto& f) {
        f.spawn([&](auto&) {
          held_runs = true;
          await("x runs", held_may_end);
        });
        await("the other worker comes", held_runs);
        f.spawn([&](auto& x) {
          x.here().finish([&](auto& inner) {
            inner.spawn([&](auto&) {
              child_runs = true;
              await("x's worker turns to another task", other_runs);
            });
            held_may_end = true;
            await("the other worker takes the child", child_runs);
            x.spawn([&](auto&) {
              other_runs = true;
              await("x goes on on the other worker", x_has_ended);
            });
          });
          x_has_ended = true;
        });
        // An alarm asks for attention in every lane of the pool.
        try {
          here.scope([](auto&) { throw std::runtime_error("an alarm"); });
        } catch (std::runtime_error const&) {}
      });
    });
  }
}

/// A push that asks for attention is a push all the same.
TEST(own_tasks, do_not_run_at_once_where_the_lane_asks_for_attention) {
  skua::pool pool({.workers = 1});
  pool.run([&](auto& here) {
    int ran = 0;
    auto const alarm = [&] {
      try {
        here.scope([](auto&) { throw std::runtime_error("an alarm"); });
      } catch (std::runtime_error const&) {}
    };
    here.finish([&](auto& f) {
      alarm();
      f.spawn([&](auto&) { ++ran; });
      EXPECT_EQ(ran, 0);
    });
    here.scope([&](auto& s) {
      alarm();
      s.spawn([&](auto&) { ++ran; });
      EXPECT_EQ(ran, 1);
    });
    skua::task_group group;
    alarm();
    group.run([&] { ++ran; });
    EXPECT_EQ(ran, 2);
    group.wait();
    EXPECT_EQ(ran, 3);
  });
}

/// The owner runs one task on top of itself when another one fails elsewhere; afterwards nothing of that is left.
TEST(own_tasks, on_top_of_the_owner_hear_of_a_failure) {
  skua::pool pool({.workers = 2});
  skua::one_shot<> over;
  pool.enqueue([&](auto& here) {
    std::atomic<bool> runs_elsewhere{false};
    std::atomic<bool> runs_here{false};
    auto const fails = [&] {
      here.finish([&](auto& f) {
        f.spawn([&](auto&) {
          runs_elsewhere = true;
          wait_until("the owner runs a task", [&] { return runs_here.load(); });
          throw std::runtime_error("elsewhere");
        });
        wait_until("the other worker comes", [&] { return runs_elsewhere.load(); });
        f.spawn([&](auto& mine) {
          runs_here = true;
          wait_until("it hears of the failure", [&] { return mine.here().stop_requested(); });
        });
      });
    };
    EXPECT_THROW(fails(), std::runtime_error);
    EXPECT_FALSE(here.stop_requested());
    over.set_value();
  });
  over.wait();
}

TEST(own_tasks, at_a_place_that_there_is_not_run_all_the_same) {
  for (char const* const policy : {"random", "strategies", "numa-ws"}) {
    skua::pool pool({.workers = 2, .policy = policy});
    std::atomic<int> ran{0};
    pool.run([&](auto& here) {
      here.finish([&](auto& f) {
        for (std::uint32_t p = 0; p < 4; ++p)
          f.spawn(skua::at{skua::place_id{pool.places() + p}}, [&](auto&) { ++ran; });
      });
    });
    EXPECT_EQ(ran, 4) << policy;
  }
}

TEST(own_tasks, with_places_run_once_each) {
  skua::pool pool({.workers = 2});
  std::atomic<int> ran{0};
  pool.run([&](auto& here) {
    here.finish([&](auto& f) {
      for (int i = 0; i < 50; ++i) f.spawn(skua::at{skua::place_id{0}}, [&](auto&) { ++ran; });
    });
  });
  EXPECT_EQ(ran, 50);
}

TEST(own_tasks, are_called_instead_only_if_their_strategy_allows_it) {
  skua::pool pool({.workers = 1, .policy = "strategies"});
  pool.run([&](auto& here) {
    bool ran = false;
    here.finish([&](auto& f) {
      for (int i = 0; i < 3; ++i) f.spawn([](auto&) {});
      f.spawn(skua::strategies::order{1}, [&](auto&) { ran = true; });
      EXPECT_FALSE(ran);
    });
  });
}

/// A task's handle is its own: one that a child uses belongs to a fiber that does something else.
TEST(own_tasks_DeathTest, that_are_called_through_another_tasks_handle_end_the_process) {
  if (!skua::runtime::checked) GTEST_SKIP() << "only checked builds look";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  struct always_called {
    [[nodiscard]] static constexpr double transitive_weight() noexcept { return 1; }
    [[nodiscard]] static constexpr bool allow_call_conversion() noexcept { return true; }
  };
  EXPECT_DEATH(
      {
        skua::pool pool({.workers = 1, .policy = "strategies"});
        pool.run([](auto& here) {
          here.finish([&](auto& f) {
            skua::one_shot<> called;
            bool is_first = true;
            // The first to run uses the body's handle, while the body waits and the others are queued.
            for (int i = 0; i < 3; ++i) {
              f.spawn([&](auto&) {
                if (!std::exchange(is_first, false)) return;
                f.spawn(always_called{}, [](auto&) {});
                called.set_value();
              });
            }
            called.wait(here);
          });
        });
      },
      "uses the `here` of another task");
}
