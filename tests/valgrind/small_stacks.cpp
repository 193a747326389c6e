// SPDX-License-Identifier: MIT
// Pools with the smallest stacks, whose fibers wait and are resumed: the stacks lie close to each other, and switches
// between them go in both directions. Run plainly, and under memcheck.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "skua/parts/base/platform.hpp"
#include "skua/parts/context/stack.hpp"
#include "skua/policy/combinations_for_test.hpp"
#include "skua/skua.hpp"

namespace {

constexpr std::size_t small =
    skua::runtime::under_tsan || skua::runtime::under_asan ? skua::runtime::default_stack_bytes : std::size_t{64} << 10;

/// Joins whose right children are slow, so that most left sides must wait; scopes above them.
void waits(skua::fork_join auto& here, int depth, std::atomic<int>& ran) {
  if (depth == 0) {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    ran.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  here.scope([&](auto& s) {
    s.spawn([&, depth](auto& g) { waits(g, depth - 1, ran); });
    here.join([&](auto& g) { waits(g, depth - 1, ran); }, [&](auto& g) { waits(g, depth - 1, ran); });
  });
}

TEST(small_stacks, fibers_wait_and_are_resumed_under_every_policy) {
  std::uint64_t parked = 0;
  for (std::string const& policy : skua::testing::whole_policies()) {
    skua::pool pool({.workers = 3, .policy = policy, .stack_bytes = small});
    std::atomic<int> ran{0};
    pool.run([&](auto& h) { waits(h, 4, ran); });
    EXPECT_EQ(ran.load(), 81) << policy;
    for (auto const& c : pool.counters()) parked += c.parked;
  }
  EXPECT_GT(parked, 0U) << "no fiber ever waited: this program shows nothing";
}

}  // namespace
