// SPDX-License-Identifier: MIT
// A worker that has entered leaves, also if it is awake when its pool ends.
#include "skua/machine/threads/engine/core/observer_list.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>

#include "skua/machine/threads/engine/core/pool_core.hpp"
#include "skua/skua.hpp"
#include "tests/programs/wait_until.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

struct counting final : worker_observer {
  void enters(bool) override { ++entered; }
  void leaves(bool) override { ++left; }
  std::atomic<int> entered{0};
  std::atomic<int> left{0};
};

TEST(observer_list, hears_that_a_worker_leaves_which_never_sleeps) {
  counting seen;
  std::shared_ptr<observer_list> observers;
  {
    pool p({.workers = 1, .spin = std::chrono::nanoseconds::max()});
    observers = runtime::core_of(p).observers();
    observers->add(seen);
    skua::testing::wait_until("the worker enters", [&] {
      p.enqueue([] {});
      return seen.entered.load() != 0;
    });
  }
  EXPECT_EQ(seen.left, seen.entered.load());
  observers->remove(seen);
}

}}}}  // namespace skua::v0::runtime
