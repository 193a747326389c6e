// SPDX-License-Identifier: MIT
// A lane whose owner is a thread with several flows: what one flow did before its push is visible to the taker of the
// entry. TSan checks that, because the flows of these tests, unlike those of flow_test.hpp, have no order that it knows.
#include "skua/machine/threads/lane/spawned_lane.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>

#include "skua/parts/context/context.hpp"
#include "skua/parts/context/flow_test.hpp"
#include "skua/parts/context/stack.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

constexpr std::uint64_t key = 5;

/// Pushes one entry from a stack of its own.
class pushing_flow {
 public:
  pushing_flow(spawned_lane<>& to, int value) noexcept : lane_(to), value_(value) {}

  /// To be called once, by the owner of the lane.
  void run_on(stack_pool& stacks) {
    stacks_ = &stacks;
    start(self_, *stacks.take(), push, this);
    switch_to(native_, self_, nullptr, nullptr);
  }
  void await_end() const noexcept { static_cast<void>(has_ended_.load(std::memory_order_acquire)); }

 private:
  static void push(void* self) noexcept {
    auto& me = *static_cast<pushing_flow*>(self);
    me.pushed_ = me.value_;
    if (me.lane_.push(&me.pushed_, key)) static_cast<void>(me.lane_.poll());
    me.has_ended_.store(true, std::memory_order_release);
    leave_to(me.self_, me.native_, give_stack_back, &me);
  }
  static void give_stack_back(void* self) noexcept {
    auto& me = *static_cast<pushing_flow*>(self);
    me.stacks_->give(me.self_.stack);
  }

  spawned_lane<>& lane_;
  int const value_;
  int pushed_ = 0;
  std::atomic<bool> has_ended_{false};
  stack_pool* stacks_ = nullptr;
  context self_;
  context native_;
};

/// Two flows of this thread have pushed an entry each.
class spawned_lanes : public ::testing::Test {
 protected:
  spawned_lanes() {
    older_.run_on(stacks_);
    newer_.run_on(stacks_);
  }
  ~spawned_lanes() override {  // what they used is destroyed
    older_.await_end();
    newer_.await_end();
  }
  static int value_of(entry const& e) { return *static_cast<int*>(e.task); }

  spawned_lane<> lane_{{.capacity = 2, .kind = real_sync::kind()}};  // the newer flow makes its second ring

 private:
  testing::worker_thread const worker_;
  stack_pool stacks_;
  pushing_flow older_{lane_, 1};
  pushing_flow newer_{lane_, 2};
};

TEST_F(spawned_lanes, pop_takes_the_newest) {
  entry got;
  ASSERT_TRUE(lane_.pop(got));
  EXPECT_EQ(value_of(got), 2);
  ASSERT_TRUE(lane_.pop(got));
  EXPECT_EQ(value_of(got), 1);
  EXPECT_EQ(got.extra, key);
  EXPECT_FALSE(lane_.pop(got));
}

TEST_F(spawned_lanes, pop_oldest_takes_the_oldest) {
  entry got;
  ASSERT_TRUE(lane_.pop_oldest(got));
  EXPECT_EQ(value_of(got), 1);
  ASSERT_TRUE(lane_.pop_oldest(got));
  EXPECT_EQ(value_of(got), 2);
  EXPECT_FALSE(lane_.pop_oldest(got));
}

TEST_F(spawned_lanes, take_newest_takes_entries_with_its_key) {
  EXPECT_EQ(take_newest(lane_, key + 1), nullptr);
  auto const* const newest = static_cast<int*>(take_newest(lane_, key));
  ASSERT_NE(newest, nullptr);
  EXPECT_EQ(*newest, 2);
}

// The second push has replaced what the lane's bottom released for the first.
TEST_F(spawned_lanes, a_thief_takes_the_oldest) {
  std::thread thief([this] {
    entry got;
    ASSERT_EQ(lane_.outside().steal(got), outcome::got);
    EXPECT_EQ(value_of(got), 1);
  });
  thief.join();
}

}}}}  // namespace skua::v0::runtime
