// SPDX-License-Identifier: MIT
// Limits of the default pool: they come and go, and nothing is lost in a region that a limit has left behind.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "skua/as_tbb.hpp"
#include "skua/skua.hpp"
#include "tests/programs/wait_until.hpp"

namespace {

namespace tbb = skua::tbb;
using control = tbb::global_control;

/// Four workers, whatever the machine has, and however the test is started. Before any test asks for the pool.
class four_workers : public ::testing::Environment {
 public:
  void SetUp() override {
    ::setenv("SKUA_WORKERS", "4", 1);
    static_cast<void>(skua::default_pool());
    ::unsetenv("SKUA_WORKERS");
  }
};
auto* const before_all = ::testing::AddGlobalTestEnvironment(new four_workers);

/// The highest number of a worker that runs a body, and how many a body can use.
std::pair<int, int> seen_by_a_loop() {
  std::atomic<int> highest{-1};
  std::atomic<int> can_use{0};
  tbb::parallel_for(
      0, 200,
      [&](int) {
        int const mine = tbb::this_task_arena::current_thread_index();
        int seen = highest.load();
        while (seen < mine && !highest.compare_exchange_weak(seen, mine)) {}
        can_use = tbb::this_task_arena::max_concurrency();
      },
      tbb::simple_partitioner());
  return {highest, can_use};
}

TEST(worker_limits, change_from_call_to_call) {
  for (int const round : {1, 2}) {
    for (std::size_t const n : {1U, 2U, 4U, 3U}) {
      SCOPED_TRACE(::testing::Message() << "round " << round << ", limit " << n);
      control const limit(control::max_allowed_parallelism, n);
      EXPECT_EQ(control::active_value(control::max_allowed_parallelism), n);
      EXPECT_EQ(tbb::this_task_arena::max_concurrency(), static_cast<int>(n));
      auto const [highest, can_use] = seen_by_a_loop();
      EXPECT_LT(highest, static_cast<int>(n));
      EXPECT_EQ(can_use, static_cast<int>(n));
    }
  }
  EXPECT_EQ(control::active_value(control::max_allowed_parallelism), 4U);
  EXPECT_EQ(seen_by_a_loop().second, 4);
}

TEST(worker_limits, hold_at_their_least) {
  auto three = std::make_unique<control>(control::max_allowed_parallelism, 3);
  control const two(control::max_allowed_parallelism, 2);
  {
    control const many(control::max_allowed_parallelism, 100);
    control const one(control::max_allowed_parallelism, 1);
    EXPECT_EQ(tbb::this_task_arena::max_concurrency(), 1);
  }
  EXPECT_EQ(tbb::this_task_arena::max_concurrency(), 2);
  three.reset();
  EXPECT_EQ(tbb::this_task_arena::max_concurrency(), 2);
}

TEST(worker_limits, cannot_exceed_the_pool) {
  control const many(control::max_allowed_parallelism, 100);
  EXPECT_EQ(control::active_value(control::max_allowed_parallelism), 100U);
  EXPECT_EQ(tbb::this_task_arena::max_concurrency(), 4);
  EXPECT_LT(seen_by_a_loop().first, 4);
}

TEST(worker_limits, of_zero_are_usage_errors) {
  EXPECT_THROW(control(control::max_allowed_parallelism, 0), skua::usage_error);
}

TEST(worker_limits, leave_the_environment_alone) {
  control const limit(control::max_allowed_parallelism, 1);
  static_cast<void>(seen_by_a_loop());
  EXPECT_EQ(std::getenv("SKUA_WORKERS"), nullptr);
  EXPECT_EQ(skua::pool({.workers = 3}).num_workers(), 3U);
}

TEST(worker_limits, lose_no_task_that_was_started_under_another_limit) {
  for (std::size_t const n : {1U, 2U, 3U}) {
    for (int round = 0; round < 20; ++round) {
      std::atomic<int> ran{0};
      tbb::task_group group;
      for (int i = 0; i < 10; ++i) group.run([&] { ++ran; });
      {
        control const limit(control::max_allowed_parallelism, n);
        for (int i = 0; i < 10; ++i) group.run([&] { ++ran; });
        if (round % 2 == 0) group.wait();
      }
      for (int i = 0; i < 10; ++i) group.run([&] { ++ran; });
      group.wait();
      EXPECT_EQ(ran, 30);
    }
  }
}

TEST(worker_limits, hold_for_calls_of_the_default_pool_inside_of_a_limited_one) {
  control const limit(control::max_allowed_parallelism, 2);
  std::atomic<int> wrong{0};
  auto const look = [&wrong](auto& h) {
    // A guest has one worker, and no number.
    if (h.num_workers() > 2 || index(skua::this_worker().value_or(skua::worker_id{0})) >= 2) ++wrong;
  };
  auto const calls = [&](int) {
    for (int i = 0; i < 10; ++i) {
      skua::default_pool().run([&](auto& h) {
        look(h);
        skua::for_each(h, 0, 64, [&](int) {
          if (index(skua::this_worker().value_or(skua::worker_id{0})) >= 2) ++wrong;
        });
        h.join(look, look);
      });
    }
  };
  std::vector<std::thread> callers;  // some of them guests
  for (int t = 0; t < 4; ++t) callers.emplace_back([&] { tbb::parallel_for(0, 20, calls, tbb::simple_partitioner()); });
  for (auto& t : callers) t.join();
  EXPECT_EQ(wrong, 0);
}

TEST(worker_limits, may_change_while_other_threads_call) {
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0};
  std::atomic<int> calls{0};
  std::vector<std::thread> callers;
  for (int t = 0; t < 3; ++t) {
    callers.emplace_back([&] {
      while (!stop) {
        std::atomic<int> ran{0};
        tbb::parallel_for(0, 64, [&](int) { ++ran; }, tbb::simple_partitioner());
        if (ran != 64) ++wrong;
        ++calls;
      }
    });
  }
  for (std::size_t round = 0; round < 100; ++round) {
    control const limit(control::max_allowed_parallelism, 1 + round % 4);
    static_cast<void>(seen_by_a_loop());
  }
  skua::testing::wait_until("the others call", [&] { return calls >= 100; });
  stop = true;
  for (auto& t : callers) t.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
