// SPDX-License-Identifier: MIT
// What a worker does next, on real threads: callers leave without a frame, and frames that are ready go before tasks.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>

#include "skua/parts/base/platform.hpp"
#include "skua/skua.hpp"
#include "tests/programs/every_policy.hpp"
#include "tests/programs/wait_until.hpp"

namespace {

using skua::testing::wait_until;

constexpr int rounds = skua::runtime::under_tsan ? 20 : 200;

class next_step : public skua::testing::under_every_policy {};

/// Waits on this thread for an answer from another one.
void ask() {
  skua::one_shot<> answer;
  std::jthread const outside([&] { answer.set_value(); });
  answer.wait();
}

constexpr int tasks = 100;

/// One worker: a frame waits, and then `run_all(here, task)` runs the tasks, of which the tenth makes the frame ready.
template <class RunAll>
void expect_ready_frame_first(skua::pool_options const& options, RunAll run_all) {
  skua::pool pool(options);
  pool.run([&](auto& here) {
    skua::one_shot<> answer;
    int ran = 0;
    int ran_before = 0;
    here.join(
        [&](auto& h) {
          answer.wait(h);
          ran_before = ran;
        },
        [&](auto& h) {
          run_all(h, [&] {
            if (++ran == 10) answer.set_value();
          });
        });
    EXPECT_EQ(ran, tasks);
    EXPECT_LE(ran_before, 11);
  });
}

}  // namespace

TEST_P(next_step, two_callers_whose_tasks_wait_for_answers_both_return) {
  for (std::uint32_t const n : {1U, 2U, 4U}) {
    skua::pool pool(workers(n));
    auto const call = [&] {
      for (int i = 0; i < rounds; ++i)
        pool.run([](auto& here) { here.join([](auto&) { ask(); }, [](auto&) { ask(); }); });
    };
    std::jthread const second(call);
    call();
  }
}

TEST_P(next_step, two_callers_whose_loops_call_another_pool_both_return) {
  skua::pool other(1);
  for (std::uint32_t const n : {1U, 2U, 4U}) {
    skua::pool pool(workers(n));
    auto const call = [&] {
      for (int i = 0; i < rounds; ++i) {
        pool.run([&](auto& here) {
          here.join_each(std::array{1, 2}, [&](auto& h, int) {
            h.join([&](auto&) { other.run([](auto&) {}); }, [&](auto&) { other.run([](auto&) {}); });
          });
        });
      }
    };
    std::jthread const second(call);
    call();
  }
}

TEST_P(next_step, a_ready_frame_goes_before_the_tasks_of_a_finish_region) {
  expect_ready_frame_first(workers(1), [](auto& h, auto const& task) {
    h.finish([&](auto& f) {
      for (int i = 0; i < tasks; ++i) f.spawn([&](auto&) { task(); });
    });
  });
}

TEST_P(next_step, a_ready_frame_goes_before_the_children_of_a_scope) {
  expect_ready_frame_first(workers(1), [](auto& h, auto const& task) {
    h.scope([&](auto& s) {
      for (int i = 0; i < tasks; ++i) s.spawn([&](auto&) { task(); });
    });
  });
}

TEST_P(next_step, a_ready_frame_goes_before_the_tasks_of_a_task_group) {
  expect_ready_frame_first(workers(1), [](auto&, auto const& task) {
    skua::task_group group;
    for (int i = 0; i < tasks; ++i) group.run(task);
    group.wait();
  });
}

/// Three workers: the body's waits for everything, x's waits for its inner region and runs `another` meanwhile, and the third has
/// run `first`, takes the inner region's only task, and finds `next`, of the outer region, when that ends.
TEST(next_step, a_nested_region_ends_before_the_worker_of_its_last_task_begins_a_foreign_one) {
  for (int round = 0; round < rounds / 20; ++round) {
    skua::pool pool({.workers = 3, .policy = "checked:strategies"});
    std::atomic<bool> first_runs{false};
    std::atomic<bool> first_may_end{false};
    std::atomic<bool> taken{false};
    std::atomic<bool> another_runs{false};
    std::atomic<bool> ended{false};
    auto const set = [](std::atomic<bool>& event) { event.store(true, std::memory_order_release); };
    auto const await = [](char const* what, std::atomic<bool> const& event) {
      EXPECT_TRUE(wait_until(what, [&] { return event.load(std::memory_order_acquire); }));
    };
    auto const waits_for_end = [&](auto&) { await("the nested region ends", ended); };
    pool.run([&](auto& here) {
      here.finish([&](auto& outer) {
        outer.spawn([&](auto& x) {
          x.spawn(skua::strategies::order{0, -1}, [&](auto&) {
            set(first_runs);
            await("the tasks are there", first_may_end);
          });
          await("the third worker comes", first_runs);
          x.spawn(skua::strategies::order{50, 1}, waits_for_end);  // next
          x.spawn(skua::strategies::order{1, 100}, [&](auto& another) {
            set(another_runs);
            waits_for_end(another);
          });
          x.here().finish([&](auto& inner) {
            inner.spawn(skua::strategies::order{100, 0}, [&](auto&) {
              set(taken);
              await("x waits", another_runs);
            });
            set(first_may_end);
            await("the third worker takes the task", taken);
          });
          set(ended);
        });
        await("x has ended its region", ended);
      });
    });
  }
}

/// The other worker ends a task of the region while another one lies in its lane, and resumes a frame that is tied to it and
/// waits for the region's end. The owner takes what is left.
TEST(next_step, a_region_ends_though_a_worker_that_ran_its_tasks_goes_on_with_something_else) {
  skua::pool pool({.workers = 2, .policy = "checked:random"});
  skua::one_shot<> goes_on;
  std::atomic<bool> is_taken{false};
  std::atomic<bool> has_ended{false};
  pool.run([&](auto& here) {
    here.join(
        [&](auto& h) {
          wait_until("the other worker's task parks",
                     [&] { return pool.counters()[0].parked + pool.counters()[1].parked == 1; });
          h.finish([&](auto& region) {
            region.spawn([&](auto& first) {
              first.spawn([](auto&) {});
              goes_on.set_value();
              is_taken = true;
            });
            wait_until("the other worker takes a task of the region", [&] { return is_taken.load(); });
          });
          has_ended = true;
        },
        [&](auto&) {
          goes_on.wait();  // tied to its thread
          wait_until("the region ends", [&] { return has_ended.load(); });
        });
  });
}

INSTANTIATE_TEST_SUITE_P(policies, next_step, ::testing::ValuesIn(skua::testing::checked_policies()),
                         skua::testing::policy_in_a_name);
