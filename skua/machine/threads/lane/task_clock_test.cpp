// SPDX-License-Identifier: MIT
// A task's time is never more than has passed: what an earlier lap, wait or task has had is not counted again.
#include "skua/machine/threads/lane/task_clock.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

#include "skua/parts/base/clock.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

/// Turns until a millisecond has passed.
void pass_a_millisecond() {
  std::uint64_t const began = clock_ns();
  while (clock_ns() - began < 1'000'000) {}
}

TEST(task_clock, laps_are_no_longer_together_than_what_has_passed) {
  std::uint64_t const began = clock_ns();
  task_clock clock;
  clock.begin(true);
  pass_a_millisecond();
  clock.stop();
  clock.go();
  std::uint64_t all = 0;
  for (int i = 0; i < 1000; ++i) all += clock.lap();
  EXPECT_GE(all, 1'000'000U);
  EXPECT_LE(all, clock_ns() - began);
}

constexpr std::uint64_t unread = ~std::uint64_t{0};

TEST(task_clock, long_tasks_have_a_reading_each) {
  task_clock clock;
  clock.begin(true);
  for (int i = 0; i < 3; ++i) {
    pass_a_millisecond();
    std::uint64_t const ns = clock.lap(true, unread);
    EXPECT_GE(ns, 1'000'000U);
    EXPECT_NE(ns, unread);
  }
}

TEST(task_clock, short_tasks_of_a_kind_have_readings_together_which_tell_their_mean) {
  task_clock clock;
  clock.begin(true);
  std::uint64_t const began = clock_ns();
  std::uint64_t told = 0;
  std::uint32_t readings = 0;
  std::uint32_t together = 1;
  for (int i = 0; i < 1000; ++i) {
    std::uint64_t const ns = clock.lap(true, unread);
    if (ns == unread) {
      ++together;
      continue;
    }
    ASSERT_GE(ns, 1U);
    ASSERT_LE(together, task_clock::most_together);
    told += ns * std::exchange(together, 1);
    ++readings;
  }
  EXPECT_GE(readings, 1000 / task_clock::most_together);
  EXPECT_LE(told, clock_ns() - began + 1000) << "1 ns at least for each";
}

TEST(task_clock, the_last_of_a_kind_has_a_reading_and_so_has_the_first_of_the_next_one) {
  task_clock clock;
  clock.begin(true);
  for (int i = 0; i < 30; ++i) static_cast<void>(clock.lap(true, unread));
  EXPECT_NE(clock.lap(false, unread), unread);
  pass_a_millisecond();
  EXPECT_GE(clock.lap(true, unread), 1'000'000U);
}

TEST(task_clock, a_task_that_ends_alone_shares_its_time_with_those_before_it_without_a_reading) {
  task_clock clock;
  clock.begin(true);
  std::uint64_t before = 0;
  while (clock.lap(true, unread) != unread && ++before < 1000) {}
  ASSERT_LT(before, 1000U) << "every task took 2 us";
  pass_a_millisecond();
  std::uint64_t const mean = clock.read();
  EXPECT_GE(mean, 1'000'000U / 2);
}

TEST(task_clock, is_off_where_no_times_are_needed) {
  task_clock clock;
  clock.begin(false);
  EXPECT_EQ(clock.lap(true, unread), 0U);
  EXPECT_EQ(clock.read(), 0U);
}

TEST(task_clock, a_task_that_begins_has_nothing_of_the_one_before) {
  task_clock clock;
  clock.begin(true);
  pass_a_millisecond();
  for (char const* const before : {"was still running", "stood still"}) {
    std::uint64_t const second = clock_ns();
    clock.begin(true);
    std::uint64_t const ran = clock.read();
    EXPECT_LE(ran, clock_ns() - second) << "the one before " << before;
    clock.go();
    pass_a_millisecond();
    clock.stop();
  }
}

TEST(task_clock, stands_still_until_it_goes) {
  std::uint64_t const began = clock_ns();
  task_clock clock;
  clock.begin(true);
  clock.stop();
  std::uint64_t const ran = clock_ns() - began;
  pass_a_millisecond();
  clock.stop();
  EXPECT_LE(clock.read(), ran);
  clock.go();
  pass_a_millisecond();
  clock.go();  // goes already
  EXPECT_GE(clock.read(), 1'000'000U);
}

TEST(task_clock, that_nobody_needs_counts_nothing) {
  task_clock clock;
  clock.begin(false);
  pass_a_millisecond();
  EXPECT_EQ(clock.lap(), 0U);
  EXPECT_EQ(clock.read(), 0U);
}

}}}}  // namespace skua::v0::runtime
