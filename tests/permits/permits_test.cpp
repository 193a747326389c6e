// SPDX-License-Identifier: MIT
// Pools beside a Thread Composability Manager whose grants the test changes at any time (permits.md).
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <future>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "skua/parts/base/dice.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/skua.hpp"
#include "tests/permits/fake_tcm.hpp"
#include "tests/programs/every_policy.hpp"
#include "tests/programs/fib.hpp"
#include "tests/programs/wait_until.hpp"

namespace {

using skua::testing::fib;
using skua::testing::wait_until;

[[maybe_unused]] bool const is_enabled = ::setenv("TCM_ENABLE", "1", 1) == 0;

/// How many leaves run at once.
class gauge {
 public:
  void leaf() {
    int const mine = now_.fetch_add(1) + 1;
    for (int most = most_.load(); most < mine && !most_.compare_exchange_weak(most, mine);) {}
    for (int i = 0; i < 100; ++i) skua::runtime::relax();
    now_.fetch_sub(1);
  }
  /// The most since the last call.
  int take_most() { return most_.exchange(0); }

 private:
  std::atomic<int> now_{0};
  std::atomic<int> most_{0};
};

void run_leaves(skua::pool& on, gauge& g) {
  on.run([&](auto& here) { skua::for_each(here, 0, 1000, [&](int) { g.leaf(); }); });
}

/// Returns if two workers run at the same time.
void meet(skua::pool& on, std::optional<std::uint32_t> offers = {}) {
  std::atomic<bool> second_runs{false};
  on.run([&](auto& here) {
    here.join(
        [&](auto&) {
          if (offers) fake_tcm::offer(*offers);
          wait_until("the second branch runs", [&] { return second_runs.load(); });
        },
        [&](auto&) { second_runs = true; });
  });
}

class permits : public ::testing::Test {
 protected:
  void SetUp() override {
    fake_tcm::offer(1024);
    before = fake_tcm::now();
  }
  void TearDown() override {
    fake_tcm::refuse(fake_tcm::refuses::nothing);
    fake_tcm::seen const after = fake_tcm::now();
    EXPECT_EQ(after.misuse, nullptr) << after.misuse;
    EXPECT_EQ(after.active, 0);
    EXPECT_EQ(after.registered, 0);
    EXPECT_EQ(after.connects - after.disconnects, before.connects - before.disconnects);
  }
  static void expect_given_back() {
    wait_until("the permit is given back", [] { return fake_tcm::now().active == 0; });
  }
  fake_tcm::seen before;
};

class permits_under_every_policy : public permits, public ::testing::WithParamInterface<std::string> {};

}  // namespace

TEST_F(permits, are_asked_for_when_work_comes_and_given_back_when_all_sleep) {
  {
    skua::pool on({.workers = 4});
    EXPECT_EQ(fake_tcm::now().connects, before.connects);
    meet(on);
    expect_given_back();
    EXPECT_EQ(fake_tcm::now().connects, before.connects + 1);
    EXPECT_EQ(fake_tcm::now().asked_most, 4);
    meet(on);
    expect_given_back();
    EXPECT_EQ(fake_tcm::now().connects, before.connects + 1);
  }
  EXPECT_EQ(fake_tcm::now().releases, before.releases + 1);
}

TEST_F(permits, bound_no_more_workers_than_they_grant) {
  fake_tcm::offer(2);
  skua::pool on({.workers = 4, .policy = "random"});
  gauge g;
  for (int i = 0; i < 100; ++i) run_leaves(on, g);
  meet(on);
  EXPECT_LE(g.take_most(), 2);
}

TEST_F(permits, of_nothing_let_a_caller_run_alone) {
  fake_tcm::offer(0);
  skua::pool on({.workers = 4, .policy = "random"});
  gauge g;
  for (int i = 0; i < 100; ++i) run_leaves(on, g);
  EXPECT_EQ(g.take_most(), 1);
}

TEST_F(permits, of_nothing_let_one_worker_run_enqueued_tasks) {
  fake_tcm::offer(0);
  skua::pool on({.workers = 4, .policy = "random"});
  gauge g;
  std::atomic<int> ran{0};
  for (int i = 0; i < 1000; ++i) {
    on.enqueue([&] {
      g.leaf();
      ++ran;
    });
  }
  wait_until("all have run", [&] { return ran.load() == 1000; });  // a caller that drains would run some, too
  EXPECT_EQ(g.take_most(), 1);
}

TEST_F(permits, that_grow_wake_workers_during_a_call) {
  fake_tcm::offer(1);
  skua::pool on({.workers = 4, .policy = "random"});  // a policy that places tasks wakes workers whatever the limit
  meet(on, 2);
}

TEST_F(permits, that_shrink_hold_workers_back) {
  skua::pool on({.workers = 4, .policy = "random"});
  meet(on);
  fake_tcm::offer(1);
  gauge g;
  // A worker that had begun its search before may still take something of a later call.
  wait_until("a call runs on one worker", [&] {
    run_leaves(on, g);
    return g.take_most() == 1;
  });
  fake_tcm::offer(2);
  meet(on);
}

TEST_F(permits, of_pinned_pools_name_their_processors) {
  {
    skua::pool on({.workers = 1, .pin = true});
    on.enqueue([] {});
    on.drain();
  }
  // The fake library does not depend on hwloc, so there is no bitmap to name them in.
  EXPECT_FALSE(fake_tcm::now().was_bound);
  EXPECT_EQ(fake_tcm::now().asked_most, 1);
}

TEST_F(permits, of_two_pools_are_two) {
  fake_tcm::offer(1);
  skua::pool outer({.workers = 2, .policy = "random"});
  skua::pool inner({.workers = 2, .policy = "random"});
  std::atomic<long> sum{0};
  outer.run([&](auto& here) {
    skua::for_each(here, 0, 64, [&](int) { sum += inner.run([](auto& h) { return fib(h, 10); }); });
  });
  EXPECT_EQ(sum.load(), 64 * 55);
  for (int i = 0; i < 2; ++i) {
    meet(outer, 2);
    meet(inner, 2);
  }
  EXPECT_EQ(fake_tcm::now().connects, before.connects + 2);
}

TEST_F(permits, of_many_callers) {
  fake_tcm::offer(1);
  skua::pool on({.workers = 3});
  std::vector<std::jthread> callers;
  std::atomic<long> sum{0};
  for (int c = 0; c < 6; ++c) {
    callers.emplace_back([&] {
      for (int i = 0; i < 50; ++i) sum += on.run([](auto& here) { return fib(here, 12); });
    });
  }
  callers.clear();
  EXPECT_EQ(sum.load(), 6 * 50 * 144);
}

TEST_F(permits, hold_when_tasks_throw) {
  fake_tcm::offer(1);
  skua::pool on({.workers = 3});
  for (std::uint32_t i = 0; i < 20; ++i) {
    fake_tcm::offer(i % 4);
    EXPECT_THROW(on.run([](auto& here) {
      skua::for_each(here, 0, 100, [](int at) {
        if (at == 77) throw std::runtime_error("77");
      });
    }),
                 std::runtime_error);
  }
}

TEST_F(permits, a_task_that_all_workers_block_for_gets_the_lent_thread) {
  fake_tcm::offer(1);
  skua::pool on({.workers = 4});
  std::promise<void> done;
  on.run([&](auto&) {
    on.enqueue([&] { done.set_value(); });
    done.get_future().wait();
  });
}

TEST_F(permits, are_not_asked_for_in_a_child_of_fork) {
  if (skua::runtime::under_tsan) GTEST_SKIP() << "ThreadSanitizer allows no new threads in a child of fork()";
  skua::pool on({.workers = 2});
  meet(on);
  expect_given_back();
  pid_t const child = ::fork();
  if (child == 0) {
    int const asks = fake_tcm::now().asks;
    bool is_right = false;
    {
      skua::pool own({.workers = 2});
      meet(own);
      is_right = fake_tcm::now().asks == asks;
    }
    ::_exit(is_right ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(permits, that_are_refused_leave_all_workers) {
  for (auto const what : {fake_tcm::refuses::clients, fake_tcm::refuses::permits}) {
    fake_tcm::refuse(what);
    skua::pool on({.workers = 2});
    ::testing::internal::CaptureStderr();
    meet(on);
    meet(on);
    std::string const note = ::testing::internal::GetCapturedStderr();
    EXPECT_EQ(note, "skua: note: TCM_ENABLE=1 has no effect on this pool: the library refuses a permit\n");
  }
}

TEST_P(permits_under_every_policy, may_change_at_any_time) {
  std::uint64_t const seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  skua::pool on({.workers = 4, .policy = GetParam()});
  std::atomic<bool> ends{false};
  std::jthread changes([&] {
    skua::runtime::dice rolls(seed);
    while (!ends) {
      fake_tcm::offer(rolls.below(5));
      if (rolls.below(4) == 0) std::this_thread::sleep_for(std::chrono::microseconds(rolls.below(300)));
    }
  });
  for (int i = 0; i < (skua::runtime::under_tsan ? 20 : 100); ++i) {
    EXPECT_EQ(on.run([](auto& here) { return fib(here, 15); }), 610);
    std::atomic<int> ran{0};
    for (int e = 0; e < 20; ++e) on.enqueue([&] { ++ran; });
    on.drain();
    EXPECT_EQ(ran.load(), 20);
  }
  ends = true;
  changes.join();
  expect_given_back();
}
INSTANTIATE_TEST_SUITE_P(policies, permits_under_every_policy, ::testing::ValuesIn(skua::testing::checked_policies()),
                         skua::testing::policy_in_a_name);
