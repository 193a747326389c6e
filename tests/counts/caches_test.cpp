// SPDX-License-Identifier: MIT
// What the counts of tests/counts rest on: the model of caches, and the names of functions.
#include "tests/counts/caches.hpp"

#include <gtest/gtest.h>

#include <array>

#include "tests/counts/operation_names.hpp"

namespace line_counts { namespace {

struct alignas(64) line {
  std::array<char, 64> bytes{};
};

TEST(caches, a_line_of_one_thread_is_not_shared) {
  static line mine;
  EXPECT_FALSE(writes(&mine, 1).is_shared);
  EXPECT_FALSE(reads(&mine.bytes[63], 1).is_shared);
  EXPECT_FALSE(writes(&mine, 1).misses);
}

TEST(caches, a_reader_misses_once_per_write_of_another_thread) {
  static line word;
  static_cast<void>(writes(&word, 1));
  EXPECT_TRUE(reads(&word, 2).misses);
  touch const again = reads(&word, 2);
  EXPECT_TRUE(again.is_shared);
  EXPECT_FALSE(again.misses);
  EXPECT_TRUE(writes(&word, 1).misses) << "the other's copy is to be invalidated";
  EXPECT_FALSE(writes(&word, 1).misses);
  EXPECT_TRUE(reads(&word, 2).misses);
}

TEST(caches, lines_that_are_only_read_cost_nothing) {
  static line constant;
  static_cast<void>(writes(&constant, 1));
  static_cast<void>(reads(&constant, 2));
  forget_past();
  EXPECT_FALSE(reads(&constant, 2).is_shared);
  EXPECT_FALSE(reads(&constant, 3).is_shared);
}

TEST(caches, neighbours_on_a_line_are_one) {
  static line both;
  static_cast<void>(writes(&both.bytes[0], 1));
  EXPECT_TRUE(writes(&both.bytes[60], 2).misses);
  EXPECT_TRUE(writes(&both.bytes[0], 1).misses);
}

TEST(short_names, are_without_arguments_and_return_types) {
  EXPECT_EQ(short_name("skua::v0::runtime::sleep_state<skua::v0::runtime::real_sync>::found()"), "sleep_state::found");
  EXPECT_EQ(short_name("bool skua::v0::runtime::sleep_state<a>::fall_asleep<b::f()::{lambda()#1}>(a, b) const"),
            "sleep_state::fall_asleep");
  EXPECT_EQ(short_name("skua::v0::runtime::(anonymous namespace)::steal(skua::v0::runtime::worker_slot&)"),
            "anonymous::steal");
  EXPECT_EQ(short_name("main"), "main");
}

}}  // namespace line_counts
