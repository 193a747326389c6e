// SPDX-License-Identifier: MIT
// Pools that come and go leave nothing behind: no memory, no mapping, no open file. bench/memory.cpp makes ten thousand
// pools; this test makes enough for a leak of a few KiB per pool to show.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "apps/fib/problem.hpp"
#include "bench/resident.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/skua.hpp"

namespace {

constexpr int warm_up = 50;
constexpr int pools = 500;

struct belongings {
  long resident_kib = skua::bench::resident_kib();
  std::ptrdiff_t files = std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  std::ptrdiff_t threads = std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
  std::ptrdiff_t mappings = mappings_now();

  static std::ptrdiff_t mappings_now() {
    std::ifstream maps("/proc/self/maps");
    return std::count(std::istreambuf_iterator<char>(maps), {}, '\n');
  }
};

void come_and_go(int times) {
  for (int i = 0; i < times; ++i) {
    skua::pool p({.workers = 2});
    // Enough forks for steals, parked frames and stacks of their own.
    ASSERT_EQ(p.run([](auto& here) { return skua::apps::fib::program(here, 12); }), 144U);
  }
}

TEST(pools, that_come_and_go_leave_nothing_behind) {
  ASSERT_NO_FATAL_FAILURE(come_and_go(warm_up));
  belongings const before;
  ASSERT_GT(before.resident_kib, 0);
  ASSERT_NO_FATAL_FAILURE(come_and_go(pools));
  belongings const after;
  EXPECT_EQ(after.files, before.files);
  EXPECT_EQ(after.threads, before.threads);
  if (skua::runtime::under_asan || skua::runtime::under_tsan) {
    GTEST_SKIP()
        << "a sanitizer keeps freed memory and makes mappings of its own; LeakSanitizer looks for leaks itself";
  }
  EXPECT_LT(after.resident_kib - before.resident_kib, 1024);
  // A pool maps 2 stacks and 2 thread stacks, each with its guard; the allocator may keep an arena or two more.
  EXPECT_LT(after.mappings - before.mappings, 16);
}

}  // namespace
