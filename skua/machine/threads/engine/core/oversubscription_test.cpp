// SPDX-License-Identifier: MIT
// A pool notices that it may use fewer processors than it has workers, and that it may use more again.
#include "skua/machine/threads/engine/core/oversubscription.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <charconv>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include "skua/machine/threads/engine/core/pool_core.hpp"
#include "skua/parts/topology/affinity.hpp"
#include "skua/skua.hpp"
#include "tests/programs/fib.hpp"
#include "tests/programs/wait_until.hpp"

namespace {

using namespace std::chrono_literals;
using skua::testing::fib;
using skua::testing::wait_until;

/// What `taskset -ap` does: binds every thread of the process to the first `n` processors of `whole`.
void bind_process(skua::runtime::cpu_mask const& whole, std::size_t n) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (std::size_t i = 0; i < n; ++i) CPU_SET(whole.members()[i], &set);
  for (auto const& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string const name = thread.path().filename();
    int number = 0;
    std::from_chars(name.data(), name.data() + name.size(), number);
    static_cast<void>(::sched_setaffinity(number, sizeof set, &set));  // it may have ended
  }
}

class oversubscription : public ::testing::TestWithParam<std::chrono::nanoseconds> {};

TEST_P(oversubscription, follows_the_masks_of_the_workers) {
  skua::runtime::cpu_mask const whole = skua::runtime::affinity_of_this_thread();
  if (whole.size() < 2 || whole.size() > CPU_SETSIZE) GTEST_SKIP() << "this needs two processors";
  if (skua::default_pool().num_workers() < 2) GTEST_SKIP() << "the CPU quota is one processor";
  skua::pool pool({.workers = 2, .pin = false, .spin = GetParam()});
  auto& state = skua::runtime::core_of(pool).oversubscribed();
  auto const becomes = [&](bool expected) {
    return wait_until(expected ? "the pool is oversubscribed" : "the pool is no longer oversubscribed", [&] {
      EXPECT_EQ(pool.run([](auto& h) { return fib(h, 15); }), 610);  // wakes workers, which fall asleep again
      std::this_thread::sleep_for(1ms);
      return state.is_oversubscribed() == expected;
    });
  };
  EXPECT_FALSE(state.is_oversubscribed());
  bind_process(whole, 1);
  bool const noticed = becomes(true);
  bind_process(whole, whole.size());
  EXPECT_TRUE(noticed);
  EXPECT_TRUE(becomes(false));
}

INSTANTIATE_TEST_SUITE_P(spin, oversubscription, ::testing::Values(50us, skua::runtime::spin_forever),
                         [](auto const& spin) { return spin.param == 50us ? "sleeps" : "never_sleeps"; });

TEST(oversubscription_at_first, counts_the_processors_that_the_maker_may_use) {
  skua::runtime::saved_affinity const restored;
  skua::runtime::cpu_mask one;
  one.insert(skua::runtime::affinity_of_this_thread().members()[0]);
  ASSERT_FALSE(skua::runtime::bind_this_thread(one));
  skua::pool pool({.workers = 2});
  EXPECT_TRUE(skua::runtime::core_of(pool).oversubscribed().is_oversubscribed());
}

}  // namespace
