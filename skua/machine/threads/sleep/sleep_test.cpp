// SPDX-License-Identifier: MIT
// What the answers of the sleepers mean to those who ask; the protocol itself is explored by sleep_model.cpp.
#include "skua/machine/threads/sleep/sleep.hpp"

#include <gtest/gtest.h>

namespace skua::inline v0::runtime {
namespace {

constexpr auto at_any_time = [] { return true; };
constexpr auto nothing = [] { return false; };

TEST(sleepers, a_caller_that_leaves_hears_whether_anybody_else_may_push) {
  sleep_state<> two(2);
  two.begin_without_threads();
  EXPECT_EQ(two.lend(worker_id{0}, at_any_time), loan::given);
  EXPECT_EQ(two.lend(worker_id{1}, at_any_time), loan::given);
  EXPECT_TRUE(two.take_back(worker_id{0}, nothing)) << "worker 1 runs";
  EXPECT_FALSE(two.take_back(worker_id{1}, nothing)) << "nobody runs";
}

TEST(sleepers, a_searcher_does_not_push) {
  sleep_state<> three(3);
  three.begin_without_threads();
  EXPECT_EQ(three.lend(worker_id{0}, at_any_time), loan::given);
  EXPECT_TRUE(three.wake(worker_id{1}));
  EXPECT_FALSE(three.take_back(worker_id{0}, nothing)) << "worker 1 searches, and worker 2 sleeps";
  EXPECT_EQ(three.lend(worker_id{0}, at_any_time), loan::given);
  EXPECT_TRUE(three.wake(worker_id{2}));
  EXPECT_FALSE(three.found()) << "another one searches, so nobody is woken instead";
  EXPECT_TRUE(three.take_back(worker_id{0}, nothing)) << "worker 1 or 2 runs";
}

TEST(sleepers, a_caller_that_leaves_something_wakes_its_worker) {
  sleep_state<> one(1);
  one.begin_without_threads();
  EXPECT_EQ(one.lend(worker_id{0}, at_any_time), loan::given);
  EXPECT_FALSE(one.take_back(worker_id{0}, at_any_time));
  EXPECT_EQ(one.asleep_now(), 0U);
  EXPECT_EQ(one.searching_now(), 1U);
}

}  // namespace
}  // namespace skua::inline v0::runtime
