// SPDX-License-Identifier: MIT
#include "skua/program/wait_group.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "skua/parts/base/dice.hpp"
#include "skua/parts/base/error.hpp"
#include "tests/programs/wait_until.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

/// Counts its wake-ups.
struct sleeper : group_waiter {
  sleeper()
      : group_waiter{.wake = [](group_waiter& w) noexcept {
          static_cast<sleeper&>(w).woken.fetch_add(1, std::memory_order_release);
        }} {}
  // acquire: sees what the tasks did. Pairs with the release in wake.
  [[nodiscard]] int wake_ups() const { return woken.load(std::memory_order_acquire); }
  std::atomic<int> woken{0};
};

TEST(wait_group, nobody_waits_for_nothing) {
  wait_group group;
  sleeper me;
  EXPECT_TRUE(group.done());
  EXPECT_FALSE(group.enroll(me));
  EXPECT_EQ(me.wake_ups(), 0);
}

TEST(wait_group, the_last_task_wakes_every_waiter_once) {
  wait_group group;
  for (int round = 0; round < 3; ++round) {
    std::array<sleeper, 4> waiters;
    group.add();
    group.add();
    for (sleeper& w : waiters) EXPECT_TRUE(group.enroll(w));
    group.finish();
    EXPECT_FALSE(group.done());
    for (sleeper& w : waiters) EXPECT_EQ(w.wake_ups(), 0);
    group.finish();
    EXPECT_TRUE(group.done());
    for (sleeper& w : waiters) EXPECT_EQ(w.wake_ups(), 1);
  }
}

TEST(wait_group, take_outcome_reports_the_first_failure_once) {
  wait_group group;
  group.fail(std::make_exception_ptr(std::runtime_error("first")));
  group.fail(std::make_exception_ptr(std::runtime_error("second")));
  EXPECT_TRUE(group.stop_requested());
  wait_group::outcome const what = group.take_outcome();
  EXPECT_TRUE(what.cancelled);
  try {
    std::rethrow_exception(what.failure);
  } catch (std::runtime_error const& e) {
    EXPECT_STREQ(e.what(), "first");
  }
  wait_group::outcome const again = group.take_outcome();
  EXPECT_FALSE(again.failure);
  EXPECT_FALSE(again.cancelled);
  group.cancel();
  EXPECT_TRUE(group.take_outcome().cancelled);
}

TEST(wait_group, a_task_that_ends_early_cancels_the_group_and_a_failure_says_more) {
  wait_group group;
  group.end_early();
  EXPECT_TRUE(group.stop_requested());
  wait_group::outcome const early = group.take_outcome();
  EXPECT_TRUE(early.cancelled);
  EXPECT_THROW(std::rethrow_exception(early.failure), cancelled);
  EXPECT_FALSE(group.stop_requested());
  EXPECT_FALSE(group.take_outcome().failure) << "each is reported once";
  group.end_early();
  group.fail(std::make_exception_ptr(std::runtime_error("a task")));
  EXPECT_THROW(std::rethrow_exception(group.take_outcome().failure), std::runtime_error);
  EXPECT_FALSE(group.take_outcome().failure);
}

TEST(wait_group, keeps_no_failure_that_it_has_reported) {
  auto const shared = std::make_shared<int>(0);
  wait_group group;
  for (int round = 0; round < 2; ++round) {
    group.fail(std::make_exception_ptr(shared));
    group.fail(std::make_exception_ptr(shared));
    EXPECT_EQ(shared.use_count(), 2) << "the first one";
    EXPECT_TRUE(group.take_outcome().failure);
    EXPECT_EQ(shared.use_count(), 1);
  }
}

TEST(wait_group, counts_up_to_a_bound) {
  wait_group group;
  EXPECT_FALSE(group.add_below(0));
  EXPECT_TRUE(group.add_below(2));
  EXPECT_TRUE(group.add_below(2));
  EXPECT_FALSE(group.add_below(2));
  EXPECT_EQ(group.outstanding(), 2U);
  group.finish();
  EXPECT_TRUE(group.add_below(2));
  group.finish();
  group.finish();
  EXPECT_TRUE(group.done());
}

/// Some threads finish tasks, some wait. As soon as the last waiter is through, the group is destroyed and its memory
/// filled with a pattern: a late access would change it (and be a race for TSan).
class storm {
 public:
  explicit storm(int rounds) : rounds_(rounds), gate_(threads) {}

  void run() {
    std::vector<std::thread> all;
    for (std::size_t i = 0; i < threads; ++i) {
      all.emplace_back([this, i] {
        for (int round = 0; round < rounds_; ++round)
          one_round(i, dice{static_cast<std::uint64_t>(round) * threads + i});
      });
    }
    for (std::thread& t : all) t.join();
  }

 private:
  static constexpr std::size_t threads = 4;
  static constexpr int waiters = 2;
  static constexpr int tasks = 3;  // per finisher
  static constexpr std::byte pattern{0xa5};

  void one_round(std::size_t thread, dice d) {
    if (thread == 0) {
      group_ = std::construct_at(reinterpret_cast<wait_group*>(room_.data()));
      for (std::size_t i = 0; i < (threads - waiters) * tasks; ++i) group_->add();
      waiting_.store(waiters, std::memory_order_relaxed);
      effects_ = {};
    }
    gate_.arrive_and_wait();
    for (std::uint32_t i = d.below(200); i > 0; --i) relax();
    if (thread < waiters) {
      wait();
    } else {
      for (std::size_t i = 0; i < tasks; ++i) {
        effects_[(thread - waiters) * tasks + i] = 1;
        group_->finish();
      }
    }
    gate_.arrive_and_wait();
    if (thread == 0) {
      EXPECT_TRUE(std::ranges::all_of(room_, [](std::byte b) { return b == pattern; })) << "touched too late";
    }
    gate_.arrive_and_wait();
  }

  void wait() {
    sleeper me;
    if (group_->enroll(me)) {
      testing::wait_until("the last task wakes a waiter", [&] { return me.wake_ups() > 0; });
    }
    EXPECT_TRUE(std::ranges::all_of(effects_, [](int e) { return e == 1; })) << "woken too early";
    // acq_rel: the last one through destroys what the others have used.
    if (waiting_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      std::destroy_at(group_);
      room_.fill(pattern);
    }
    EXPECT_LE(me.wake_ups(), 1);
  }

  int rounds_;
  std::barrier<> gate_;
  alignas(wait_group) std::array<std::byte, sizeof(wait_group)> room_{};
  wait_group* group_ = nullptr;
  std::atomic<int> waiting_{0};
  std::array<int, (threads - waiters) * tasks> effects_{};
};

TEST(wait_group, is_not_touched_after_the_last_waiter_has_left) { storm{5000}.run(); }

TEST(wait_group, tasks_added_while_others_wait_and_finish) {
  wait_group group;
  std::atomic<long> finished{0};
  std::atomic<bool> stop{false};
  std::thread runner([&] {
    for (int i = 0; i < 20000; ++i) {
      group.add();
      finished.fetch_add(1, std::memory_order_relaxed);
      group.finish();
    }
    stop.store(true, std::memory_order_relaxed);
  });
  while (!stop.load(std::memory_order_relaxed)) {
    sleeper me;
    if (group.enroll(me)) {
      testing::wait_until("the last task wakes a waiter", [&] {
        for (int i = 0; i < 1000 && me.wake_ups() == 0; ++i) relax();
        return me.wake_ups() > 0;
      });
    }
    EXPECT_LE(me.wake_ups(), 1);
  }
  runner.join();
  EXPECT_TRUE(group.done());
  EXPECT_EQ(finished.load(std::memory_order_relaxed), 20000);
}

TEST(wait_group, of_failures_at_the_same_time_one_is_kept_per_round) {
  wait_group group;
  for (int round = 0; round < 500; ++round) {
    std::vector<std::thread> all;
    for (int i = 0; i < 3; ++i) {
      all.emplace_back([&group, i] { group.fail(std::make_exception_ptr(i)); });
    }
    for (std::thread& t : all) t.join();
    EXPECT_TRUE(group.take_outcome().failure);
    EXPECT_FALSE(group.take_outcome().failure);
  }
}

}}}}  // namespace skua::v0::runtime
