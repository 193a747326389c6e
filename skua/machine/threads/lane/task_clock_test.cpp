// SPDX-License-Identifier: MIT
// A task's time is never more than has passed: what an earlier lap, wait or task has had is not counted again.
#include "skua/machine/threads/lane/task_clock.hpp"

#include <gtest/gtest.h>

#include <cstdint>

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
