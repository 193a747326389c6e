// SPDX-License-Identifier: MIT
// Old names do what the new ones do, for one version (docs/guide/names.md).
#include <gtest/gtest.h>

#include <array>
#include <atomic>

#include "skua/skua.hpp"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

TEST(old_names, do_what_the_new_ones_do) {
  skua::pool pool({.workers = 2});
  EXPECT_EQ(pool.workers(), pool.num_workers());
  std::array<int, 5> seen{};
  std::atomic<int> spawned{0};
  pool.run([&](auto& here) {
    EXPECT_EQ(here.workers(), 2U);
    EXPECT_EQ(skua::worker_count(), 2U);
    here.each(seen, [](auto&, int& one) { ++one; });
    here.each(seen, [](int) { return 1.0; }, [](auto&, int& one) { ++one; });
    here.scope([&](auto& s) {
      s.fork([&](auto&) { ++spawned; });
      s.fork(skua::work{2}, [&](auto&) { ++spawned; });
    });
  });
  EXPECT_EQ(seen, (std::array<int, 5>{2, 2, 2, 2, 2}));
  EXPECT_EQ(spawned, 2);
}
