// SPDX-License-Identifier: MIT
// Tasks that die while they wait: what they hold is freed, and their regions end. How the store finds them: ordered_store.md.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>

#include "skua/skua.hpp"

namespace {

/// Dead when the flag is set; urgent tasks are not mortal.
struct mortal {
  double number;
  std::atomic<bool> const* dead;
  [[nodiscard]] double key(skua::strategies::requester const&) const { return number; }
  [[nodiscard]] bool is_dead() const { return dead != nullptr && dead->load(std::memory_order_relaxed); }
};

}  // namespace

TEST(dead_tasks, what_dead_tasks_hold_is_freed_while_others_wait) {
  constexpr int many = 10'000;
  skua::pool pool({.workers = 1, .policy = "strategies"});
  std::atomic<bool> dead{false};
  auto const held = std::make_shared<int>(0);
  long held_at_the_end = many;
  pool.run([&](auto& here) {
    here.finish([&](auto& f) {
      for (int i = 0; i < many; ++i) f.spawn(mortal{1e6 + i, &dead}, [held](auto&) {});
      for (int i = 0; i < 1000; ++i) {
        f.spawn(mortal{1.0 * i, nullptr}, [&](auto&) {
          dead.store(true, std::memory_order_relaxed);
          held_at_the_end = held.use_count() - 1;
        });
      }
    });
  });
  EXPECT_LT(held_at_the_end, 1100) << "of 11,000 tasks those are left that may be dead";
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_EQ(pool.counters()[0].dead, static_cast<std::uint64_t>(many));
}

/// Dead tasks of an outer region are swept, or found by a thief, while tasks of an inner region run.
TEST(dead_tasks, swept_tasks_signal_their_own_region) {
  for (std::uint32_t const n : {1U, 2U, 3U}) {
    skua::pool pool({.workers = n, .policy = "strategies"});
    for (int round = 0; round < 20; ++round) {
      std::atomic<bool> dead{false};
      std::atomic<int> ran{0};
      auto const held = std::make_shared<int>(0);
      pool.run([&](auto& here) {
        here.finish([&](auto& f) {
          for (int i = 0; i < 300; ++i) f.spawn(mortal{1e6 + i, &dead}, [held](auto&) {});
          for (int i = 0; i < 20; ++i) {
            f.spawn(mortal{1.0 * i, nullptr}, [&](auto& g) {
              dead.store(true, std::memory_order_relaxed);
              g.here().finish([&](auto& inner) {
                for (int k = 0; k < 20; ++k) inner.spawn(mortal{1.0 * k, nullptr}, [&](auto&) { ++ran; });
              });
            });
          }
        });
        if (held.use_count() != 1) ADD_FAILURE() << "a region has ended before its dead tasks";
      });
      EXPECT_EQ(ran.load(), 400);
    }
  }
}
