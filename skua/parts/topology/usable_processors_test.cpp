// SPDX-License-Identifier: MIT
#include "skua/parts/topology/usable_processors.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "skua/parts/topology/affinity.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

constexpr std::uint32_t all = 1U << 20;

cpu_quota quota_of(std::uint64_t cpus_times_ten) {
  return {.limits = {{.quota_us = cpus_times_ten * 10'000, .period_us = 100'000}}};
}

TEST(usable_processors, are_those_of_the_masks_together) {
  saved_affinity const restored;
  cpu_mask const whole = affinity_of_this_thread();
  if (whole.size() < 2) GTEST_SKIP() << "this machine lets us use one processor";
  std::array<int, 1> const me{number_of_this_thread()};
  EXPECT_EQ(usable_processors(me, all, {}), whole.size());
  cpu_mask first;
  first.insert(whole.members()[0]);
  cpu_mask second;
  second.insert(whole.members()[1]);
  ASSERT_FALSE(bind_this_thread(first));
  EXPECT_EQ(usable_processors(me, all, {}), 1U);
  std::thread{[&] {
    ASSERT_FALSE(bind_this_thread(second));
    EXPECT_EQ(usable_processors(std::array{me[0], number_of_this_thread()}, all, {}), 2U);
    EXPECT_EQ(usable_processors(std::array{me[0], number_of_this_thread()}, 1, {}), 1U) << "one is enough";
  }}.join();
}

TEST(usable_processors, are_no_more_than_the_quota) {
  std::array<int, 1> const me{number_of_this_thread()};
  EXPECT_EQ(usable_processors(me, all, quota_of(10)), 1U);
  EXPECT_EQ(usable_processors(me, all, quota_of(5)), 1U) << "half a processor";
  EXPECT_EQ(usable_processors(me, all, quota_of(1'000'000)), affinity_of_this_thread().size());
}

TEST(usable_processors, of_a_thread_that_has_ended_are_unknown) {
  int ended = 0;
  std::thread{[&] { ended = number_of_this_thread(); }}.join();
  // The kernel wakes the joining thread before the thread's number is free.
  while (tgkill(getpid(), ended, 0) == 0) std::this_thread::yield();
  EXPECT_EQ(usable_processors(std::array{ended}, all, {}), 0U);
}

}}}}  // namespace skua::v0::runtime
