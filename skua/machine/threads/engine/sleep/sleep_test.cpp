// SPDX-License-Identifier: MIT
// What the answers of the sleepers mean to those who ask; the protocol itself is explored by sleep_model.cpp.
#include "skua/machine/threads/engine/sleep/sleep.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <mutex>

namespace skua { inline namespace v0 { namespace runtime { namespace {

constexpr auto at_any_time = [] { return true; };
constexpr auto nothing = [] { return false; };
constexpr auto nothing_to_do = [] {};

TEST(sleepers, a_caller_that_leaves_hears_whether_anybody_else_may_push) {
  sleep_state<> two(2);
  two.begin_without_threads();
  EXPECT_EQ(two.lend(worker_id{0}, at_any_time, nothing_to_do), loan::given);
  EXPECT_EQ(two.lend(worker_id{1}, at_any_time, nothing_to_do), loan::given);
  EXPECT_TRUE(two.take_back(worker_id{0}, nothing)) << "worker 1 runs";
  EXPECT_FALSE(two.take_back(worker_id{1}, nothing)) << "nobody runs";
}

TEST(sleepers, a_searcher_does_not_push) {
  sleep_state<> three(3);
  three.begin_without_threads();
  EXPECT_EQ(three.lend(worker_id{0}, at_any_time, nothing_to_do), loan::given);
  EXPECT_TRUE(three.wake(worker_id{1}));
  EXPECT_FALSE(three.take_back(worker_id{0}, nothing)) << "worker 1 searches, and worker 2 sleeps";
  EXPECT_EQ(three.lend(worker_id{0}, at_any_time, nothing_to_do), loan::given);
  EXPECT_TRUE(three.wake(worker_id{2}));
  EXPECT_EQ(three.found(), 0U) << "another one searches, so nobody is woken instead";
  EXPECT_FALSE(three.take_back(worker_id{0}, nothing)) << "one searches, and will look at all lanes before it sleeps";
  EXPECT_EQ(three.lend(worker_id{0}, at_any_time, nothing_to_do), loan::given);
  EXPECT_EQ(three.found(), 0U);
  EXPECT_TRUE(three.take_back(worker_id{0}, nothing)) << "workers 1 and 2 run";
}

TEST(sleepers, a_caller_asks_for_attention_unless_a_searcher_will) {
  sleep_state<> two(2);
  two.begin_without_threads();
  int asked = 0;
  auto const asks = [&asked] { ++asked; };
  EXPECT_EQ(two.lend(worker_id{0}, at_any_time, asks), loan::given);
  EXPECT_EQ(asked, 1) << "worker 1 sleeps";
  EXPECT_EQ(two.lend(worker_id{0}, at_any_time, asks), loan::refused);
  EXPECT_EQ(asked, 1);
  EXPECT_FALSE(two.take_back(worker_id{0}, nothing));
  EXPECT_TRUE(two.wake(worker_id{1}));
  EXPECT_EQ(two.lend(worker_id{0}, at_any_time, asks), loan::given);
  EXPECT_EQ(asked, 1) << "worker 1 searches, and asks before it sleeps";
  sleep_state<> one(1);
  one.begin_without_threads();
  EXPECT_EQ(one.lend(worker_id{0}, at_any_time, asks), loan::given);
  EXPECT_EQ(asked, 1) << "there is nobody to wake";
}

TEST(sleepers, whoever_sleeps_has_asked_those_who_run) {
  sleep_state<> three(3);
  three.begin_without_threads();
  EXPECT_EQ(three.lend(worker_id{0}, at_any_time, nothing_to_do), loan::given);
  EXPECT_EQ(three.lend(worker_id{1}, at_any_time, nothing_to_do), loan::given);
  EXPECT_FALSE(three.take_back(worker_id{0}, nothing)) << "worker 2 sleeps, and worker 1 runs";
}

TEST(sleepers, are_woken_from_worker_1_on) {
  sleep_state<> many(130);
  many.begin_without_threads();
  EXPECT_TRUE(many.notify());
  for (std::uint32_t w = 1; w < 130; ++w) {
    EXPECT_FALSE(many.wake(worker_id{w})) << "it is awake";
    EXPECT_EQ(many.asleep_now(), 130 - w);
    EXPECT_EQ(many.found(), 1U) << "it wakes the next one";
  }
  EXPECT_EQ(many.asleep_now(), 0U) << "worker 0 is the last one";
}

TEST(sleepers, whoever_was_woken_and_leaves_more_wakes_two) {
  sleep_state<> many(8);
  many.begin_without_threads();
  EXPECT_TRUE(many.notify());
  EXPECT_EQ(many.found(remains::more), 2U);
  EXPECT_EQ(many.found(remains::more), 2U) << "another one searches, but that would be a chain";
  EXPECT_EQ(many.found(remains::unknown), 0U) << "two others search";
  EXPECT_EQ(many.asleep_now(), 3U);
  EXPECT_EQ(many.found(remains::more), 2U);
  EXPECT_EQ(many.found(remains::more), 1U) << "there are no more";
  EXPECT_EQ(many.found(remains::more), 0U);
  EXPECT_EQ(many.searching_now(), 2U);
}

TEST(sleepers, a_caller_that_leaves_something_wakes_its_worker) {
  sleep_state<> one(1);
  one.begin_without_threads();
  EXPECT_EQ(one.lend(worker_id{0}, at_any_time, nothing_to_do), loan::given);
  EXPECT_FALSE(one.take_back(worker_id{0}, at_any_time));
  EXPECT_EQ(one.asleep_now(), 0U);
  EXPECT_EQ(one.searching_now(), 1U);
}

TEST(sleepers, a_caller_leaves_the_place_of_worker_0_open_for_the_next_one) {
  sleep_state<> two(2);
  two.begin_without_threads();
  EXPECT_FALSE(two.enter_open()) << "nobody has been here yet";
  EXPECT_EQ(two.lend(worker_id{0}, at_any_time, nothing_to_do), loan::given);
  EXPECT_FALSE(two.has_entered_open(worker_id{0}));
  EXPECT_FALSE(two.take_back(worker_id{0}, nothing, left_as::open));
  EXPECT_TRUE(two.enter_open());
  EXPECT_FALSE(two.enter_open()) << "it is taken";
  EXPECT_EQ(two.lend(worker_id{0}, at_any_time, nothing_to_do), loan::refused);
  EXPECT_EQ(two.asleep_now(), 1U) << "worker 1";
  EXPECT_FALSE(two.wake(worker_id{0})) << "a caller is there";
  int looks = 0;
  EXPECT_TRUE(two.leave_open([&looks] { return ++looks == 3; }));
  EXPECT_EQ(looks, 2) << "once more, because somebody wanted to wake it";
  EXPECT_FALSE(two.nobody_else_is_idle()) << "worker 1 sleeps";
  EXPECT_EQ(two.asleep_now(), 2U);
  EXPECT_TRUE(two.wake(worker_id{0}));
  EXPECT_FALSE(two.enter_open()) << "its own thread is awake";
}

TEST(sleepers, a_caller_that_leaves_an_open_place_wakes_its_worker_for_what_is_left) {
  sleep_state<> one(1);
  one.begin_without_threads();
  EXPECT_EQ(one.lend(worker_id{0}, at_any_time, nothing_to_do), loan::given);
  EXPECT_FALSE(one.take_back(worker_id{0}, nothing, left_as::open));
  EXPECT_TRUE(one.enter_open());
  EXPECT_FALSE(one.anyone_idle());
  EXPECT_FALSE(one.leave_open(at_any_time));
  EXPECT_FALSE(one.take_back(worker_id{0}, at_any_time, left_as::open));
  EXPECT_EQ(one.asleep_now(), 0U);
  EXPECT_EQ(one.searching_now(), 1U);
  EXPECT_FALSE(one.enter_open());
}

/// Calls something in the middle of each short wait, which then has let its time pass.
struct watched_sync : real_sync {
  struct condition : real_condition {
    static inline std::function<void()> meanwhile;
    [[nodiscard]] bool short_wait(std::unique_lock<std::mutex>& held) {
      held.unlock();
      meanwhile();
      held.lock();
      return false;
    }
  };
};

/// A worker's place can be lent as soon as its thread does nothing but wait, and not while it looks around once more.
TEST(sleepers, a_thread_waits_from_its_short_wait_on) {
  sleep_state<watched_sync> one(1);
  int looks = 0;
  int waits = 0;
  watched_sync::condition::meanwhile = [&] {
    ++waits;
    EXPECT_TRUE(one.is_waiting(worker_id{0}));
    EXPECT_EQ(one.asleep_now(), 1U);
  };
  one.start_search();
  auto const looks_twice = [&](reach) {
    EXPECT_FALSE(one.is_waiting(worker_id{0}));
    return ++looks == 2;
  };
  EXPECT_FALSE(one.fall_asleep(worker_id{0}, [] {}, looks_twice)) << "it was not woken";
  EXPECT_EQ(looks, 2);
  EXPECT_EQ(waits, 1);
  EXPECT_EQ(one.asleep_now(), 0U);
  EXPECT_EQ(one.searching_now(), 1U);
}

TEST(sleepers, a_caller_that_has_the_place_does_not_wait_as_its_thread) {
  sleep_state<watched_sync> one(1);
  one.begin_without_threads();
  EXPECT_EQ(one.lend(worker_id{0}, at_any_time, nothing_to_do), loan::given);
  int looks = 0;
  watched_sync::condition::meanwhile = [&] { EXPECT_TRUE(one.is_waiting(worker_id{0})) << "its own thread does"; };
  one.start_search();
  auto const looks_twice = [&](reach) { return ++looks == 2; };
  EXPECT_FALSE(one.fall_asleep(worker_id{0}, [] {}, looks_twice, sleep_state<watched_sync>::thread::callers));
  EXPECT_TRUE(one.is_waiting(worker_id{0}));
  EXPECT_EQ(one.searching_now(), 1U);
}

}}}}  // namespace skua::v0::runtime
