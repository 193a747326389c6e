// SPDX-License-Identifier: MIT
// Calls that find no worker's place run as guests: a guest serves the next call, too, and a pool that has one has work. What waits in a fiber runs on the lent thread.
#include "skua/machine/threads/engine/callers/guest.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <thread>

#include "skua/machine/threads/engine/core/pool_core.hpp"
#include "skua/machine/threads/engine/stall/stall_report.hpp"
#include "skua/machine/threads/face/isolate.hpp"
#include "skua/policy/registry.hpp"
#include "skua/skua.hpp"
#include "tests/programs/wait_until.hpp"

namespace skua { inline namespace v0 { namespace {

using skua::testing::wait_until;

/// Each guest makes a policy of its own, so a factory sees them all.
TEST(guests, serve_one_call_after_another) {
  pool p({.workers = 1});
  std::atomic<int> made{0};
  auto const region = p.open_region([&](policies::policy_setup const& from) {
    ++made;
    return policies::policy_named("random")(from);
  });
  EXPECT_EQ(made, 1);
  region.run([&](auto&) {  // has the only place
    for (int round = 1; round <= 3; ++round) {
      std::atomic<int> inside{0};
      auto const call = [&] {
        region.run([&](auto&) {
          ++inside;
          wait_until("the other call is inside, too", [&] { return inside.load() == 2; });
        });
      };
      std::thread one(call);
      std::thread other(call);
      one.join();
      other.join();
      EXPECT_EQ(made, 3) << "the region's policy and those of two guests; round " << round;
    }
  });
}

TEST(guests, are_work_for_a_pool_whose_workers_sleep) {
  ::setenv("SKUA_STALL", "3600s", 1);
  pool mine({.workers = 1});
  pool other({.workers = 1});
  ::unsetenv("SKUA_STALL");
  runtime::pool_core& c = runtime::core_of(other);
  EXPECT_FALSE(runtime::has_work(c, *c.parked()));
  mine.run([&](auto&) {
    isolate([&](auto&) { other.run([&](auto&) { EXPECT_TRUE(runtime::has_work(c, *c.parked())); }); });
  });
  EXPECT_FALSE(runtime::has_work(c, *c.parked()));
}

/// Their waiter is a fiber, which no thread's place can help.
TEST(calls_of_another_pools_task, run_on_the_lent_thread_while_all_workers_wait) {
  pool blocked({.workers = 1});
  pool calls({.workers = 1});
  std::atomic<bool> has_begun{false};
  std::atomic<bool> has_run{false};
  blocked.enqueue([&] {
    has_begun = true;
    wait_until("the call has run", [&] { return has_run.load(); });
  });
  wait_until("the worker is busy", [&] { return has_begun.load(); });
  calls.run([&](auto&) { blocked.run([&](auto&) { has_run = true; }); });
  blocked.drain();
}

}}}  // namespace skua::v0
