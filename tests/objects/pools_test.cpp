// SPDX-License-Identifier: MIT
// Pools, their regions, and task arenas, in every use of docs/guide/objects.md.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <thread>

#include "skua/as_tbb.hpp"
#include "skua/skua.hpp"
#include "tests/objects/object_uses.hpp"
#include "tests/programs/fib.hpp"
#include "tests/programs/wait_until.hpp"

namespace {

using skua::testing::can_move;
using skua::testing::fib;
using skua::testing::in_two_threads;
using skua::testing::wait_until;

constexpr auto fib_of_10 = [](auto& here) { return fib(here, 10); };

TEST(pool_object, two_threads_at_once_works) {
  skua::pool pool({.workers = 2});
  std::atomic<int> ran{0};
  in_two_threads([&] {
    EXPECT_EQ(pool.run(fib_of_10), 55);
    pool.enqueue([&] { ++ran; });
    pool.drain();
  });
  EXPECT_EQ(ran.load(), 2);
}

TEST(pool_object, by_its_own_task_works) {
  skua::pool pool({.workers = 1});
  int ran = 0;
  pool.enqueue([&] {
    EXPECT_EQ(pool.run(fib_of_10), 55);
    pool.enqueue([&] { ++ran; });
  });
  pool.drain();
  pool.run([&] {
    pool.enqueue([&] { ++ran; });
    pool.drain();
  });
  EXPECT_EQ(ran, 2);
}

TEST(pool_object, by_its_own_task_that_is_enqueued_a_drain_is_refused) {
  std::atomic<int> refused{0};
  skua::pool pool({.workers = 2, .on_exception = [&](std::exception_ptr const& why) {
                     EXPECT_THROW(std::rethrow_exception(why), skua::usage_error);
                     ++refused;
                   }});
  pool.enqueue([&] { pool.drain(); });
  pool.enqueue([&](auto& here) { here.join([&](auto&) { pool.drain(); }, [&](auto&) { pool.drain(); }); });
  pool.drain();
  EXPECT_EQ(refused.load(), 2);
}

TEST(pool_object, while_it_ends_its_tasks_may_use_it) {
  int ran = 0;
  {
    std::atomic<bool> ends{false};
    skua::pool pool({.workers = 2});
    pool.enqueue([&] {
      wait_until("the pool ends", [&] { return ends.load(); });
      EXPECT_EQ(pool.run(fib_of_10), 55);
      pool.enqueue([&] { ++ran; });
    });
    ends = true;
  }
  EXPECT_EQ(ran, 1);
}

TEST(pool_object, while_it_ends_its_own_task_may_have_ended_it) {
  auto* const pool = new skua::pool({.workers = 1});
  std::atomic<bool> ended{false};
  pool->enqueue([&] {
    delete pool;  // its workers are left to themselves
    ended = true;
  });
  wait_until("the task goes on", [&] { return ended.load(); });
}

TEST(pool_object, moved_from_does_not_compile) { EXPECT_FALSE(can_move<skua::pool>); }

TEST(region_object, two_threads_at_once_works) {
  skua::pool pool({.workers = 2});
  auto const region = pool.open_region("adws");
  in_two_threads([&] { EXPECT_EQ(region.run(fib_of_10), 55); });
}

TEST(region_object, by_its_own_task_works) {
  skua::pool pool({.workers = 2});
  auto const region = pool.open_region("adws");
  EXPECT_EQ(region.run([&] { return region.run(fib_of_10); }), 55);
}

TEST(region_object, while_it_ends_another_may_open) {
  skua::pool pool({.workers = 2});
  in_two_threads([&] {
    for (int i = 0; i < 20; ++i) EXPECT_EQ(pool.open_region("random").run(fib_of_10), 55);
  });
}

class region_object_DeathTest : public skua::testing::misuse_DeathTest {};

TEST_F(region_object_DeathTest, after_its_end_of_the_pool_a_region_is_named) {
  auto const outlive = [] {
    std::optional<skua::pool> pool(std::in_place, 1);
    auto const region = pool->open_region("random");
    pool.reset();
  };
  EXPECT_EXIT(outlive(), ::testing::KilledBySignal(SIGABRT), "pool: destroyed after its regions");
}

TEST_F(region_object_DeathTest, moved_from_runs_nothing) {
  skua::pool pool({.workers = 1});
  skua::region region = pool.open_region("random");
  skua::region const moved = std::move(region);
  EXPECT_EQ(moved.run(fib_of_10), 55);
  EXPECT_EXIT(region.run(fib_of_10), ::testing::KilledBySignal(SIGABRT), "region: run after it was moved from");
}

TEST(region_object, moved_from_can_be_assigned_to) {
  skua::pool pool({.workers = 1});
  skua::region region = pool.open_region("random");
  skua::region const moved = std::move(region);
  region = pool.open_region("adws");
  EXPECT_EQ(region.run(fib_of_10), 55);
}

TEST(task_arena_object, two_threads_at_once_works) {
  skua::tbb::task_arena arena(2);
  in_two_threads([&] { EXPECT_EQ(arena.execute([] { return 3; }), 3); });
}

TEST(task_arena_object, by_its_own_task_works) {
  skua::tbb::task_arena arena(1);
  std::atomic<int> ran{0};
  arena.execute([&] {
    EXPECT_EQ(arena.execute([] { return 3; }), 3);
    arena.enqueue([&] { ++ran; });
  });
  arena.terminate();
  EXPECT_EQ(ran.load(), 1);
}

TEST(task_arena_object, by_its_own_task_it_may_be_terminated) {
  skua::tbb::task_arena arena(1);
  arena.execute([&] { arena.terminate(); });
  EXPECT_FALSE(arena.is_active());
}

TEST(task_arena_object, by_its_own_task_that_is_enqueued_it_may_be_terminated) {
  skua::tbb::task_arena arena(1);
  std::atomic<bool> done{false};
  arena.enqueue([&] {
    arena.terminate();
    done = true;
  });
  wait_until("the task goes on", [&] { return done.load(); });
}

TEST(task_arena_object, while_it_ends_its_tasks_may_use_it) {
  std::atomic<int> ran{0};
  {
    skua::tbb::task_arena arena(2);
    arena.enqueue([&] {
      EXPECT_EQ(arena.execute([] { return 3; }), 3);
      arena.enqueue([&] { ++ran; });
    });
  }
  EXPECT_EQ(ran.load(), 1);
}

TEST(task_arena_object, after_its_end_it_begins_anew) {
  skua::tbb::task_arena arena(2);
  arena.initialize();
  arena.terminate();
  EXPECT_FALSE(arena.is_active());
  EXPECT_EQ(arena.execute([] { return 3; }), 3);
  EXPECT_TRUE(arena.is_active());
}

TEST(task_arena_object, moved_from_is_a_copy_of_its_settings) {
  skua::tbb::task_arena arena(2);
  skua::tbb::task_arena other(std::move(arena));
  EXPECT_EQ(arena.max_concurrency(), 2);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(other.max_concurrency(), 2);
}

}  // namespace
