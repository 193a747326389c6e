// SPDX-License-Identifier: MIT
// A finish region in the body of a call from outside: its owner is tied to the calling thread, its tasks are not.
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>

#include "skua/skua.hpp"
#include "tests/programs/every_policy.hpp"
#include "tests/programs/this_thread.hpp"
#include "tests/programs/wait_until.hpp"

namespace {

using skua::testing::this_thread_number;
using skua::testing::wait_until;

class event {
 public:
  void set() { happened_.store(true, std::memory_order_release); }
  void await(char const* what) const {
    EXPECT_TRUE(wait_until(what, [this] { return happened_.load(std::memory_order_acquire); }));
  }

 private:
  std::atomic<bool> happened_{false};
};

class tied_owner : public testing::TestWithParam<std::string> {};
class any_tied_owner : public skua::testing::under_every_policy {};

/// Two workers. The other one runs `held`, then x's child; x waits for that, and its worker runs `other_task`, which ends after x.
/// So x must go on on the other worker.
void run_with_a_waiting_task(auto& here) {
  event held_runs;
  event held_may_end;
  event child_runs;
  event other_runs;
  event x_has_ended;
  here.finish([&](auto& f) {
    f.spawn([&](auto&) {
      held_runs.set();
      held_may_end.await("x runs");
    });
    held_runs.await("the other worker comes");
    f.spawn([&](auto& x) {
      x.here().finish([&](auto& inner) {
        inner.spawn([&](auto&) {
          child_runs.set();
          other_runs.await("x's worker turns to another task");
        });
        held_may_end.set();
        child_runs.await("the other worker takes the child");
        x.spawn([&](auto&) {
          other_runs.set();
          x_has_ended.await("x goes on on the other worker");
        });
      });
      x_has_ended.set();
    });
  });
}

}  // namespace

TEST_P(tied_owner, a_task_that_waits_goes_on_on_another_worker) {
  skua::pool pool({.workers = 2, .policy = "checked:" + GetParam()});
  for (int round = 0; round < 5; ++round) pool.run([](auto& here) { run_with_a_waiting_task(here); });
}

TEST_P(tied_owner, in_a_conventional_call_neither_are_its_tasks) {
  skua::pool pool({.workers = 2, .policy = "checked:" + GetParam()});
  pool.run([&](auto& here) {
    here.finish([](auto& f) {
      f.spawn([](auto& g) {
        skua::task_group group;
        group.run_and_wait([&] { run_with_a_waiting_task(g.here()); });
      });
    });
  });
}

INSTANTIATE_TEST_SUITE_P(policies, tied_owner, testing::Values("random", "hierarchical", "strategies"));

TEST_P(any_tied_owner, keeps_its_thread_and_its_tasks_their_exceptions) {
  skua::pool pool(workers(3));
  for (int round = 0; round < 50; ++round) {
    pool.run([&](auto& here) {
      auto const mine = this_thread_number();
      std::atomic<int> ran{0};
      here.join(
          [&](auto& h) {
            h.finish([&](auto& f) {
              for (int i = 0; i < 20; ++i) f.spawn([&](auto&) { ran.fetch_add(1, std::memory_order_relaxed); });
            });
            EXPECT_EQ(ran.load(std::memory_order_relaxed), 20);
          },
          [](auto&) {});
      auto const fail = [&] {
        here.finish([&](auto& f) {
          for (int i = 0; i < 20; ++i) {
            f.spawn([i](auto&) {
              if (i % 7 == 3) throw std::runtime_error("one of them");
            });
          }
        });
      };
      EXPECT_THROW(fail(), std::runtime_error);
      EXPECT_EQ(this_thread_number(), mine);
    });
  }
}

INSTANTIATE_TEST_SUITE_P(policies, any_tied_owner, ::testing::ValuesIn(skua::testing::checked_policies()),
                         skua::testing::policy_in_a_name);
