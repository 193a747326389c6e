// SPDX-License-Identifier: MIT
// task_group and the algorithms on real workers: from outside, from tasks, many groups at once; cancellation and
// failure.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "skua/parts/base/platform.hpp"
#include "skua/skua.hpp"
#include "tests/programs/wait_until.hpp"

namespace {

long fib(int n) {
  if (n < 2) return n;
  long a = 0;
  long b = 0;
  skua::task_group group;
  group.run([&] { a = fib(n - 1); });
  b = fib(n - 2);
  group.wait();
  return a + b;
}

TEST(executor, groups_nest_when_called_from_outside) {
  for (int i = 0; i < 5; ++i) EXPECT_EQ(fib(15), 610);
}

TEST(executor, groups_nest_inside_a_pool) {
  for (std::uint32_t workers : {1U, 2U, 4U}) {
    skua::pool pool({.workers = workers});
    for (int i = 0; i < 5; ++i) EXPECT_EQ(pool.run([](auto&) { return fib(14); }), 377);
  }
}

/// The message of the usage_error that f throws.
template <class F>
std::string refusal_of(F&& f) {
  try {
    f();
  } catch (skua::usage_error const& e) {
    return e.what();
  }
  return "none";
}

TEST(executor, a_task_that_waits_for_its_own_group_gets_a_usage_error) {
  for (std::uint32_t workers : {1U, 2U, 4U}) {
    skua::pool pool({.workers = workers});
    pool.run([](auto& here) {
      skua::task_group group;
      std::string directly;
      std::string in_a_loop;
      std::string in_a_child;
      group.run([&] { directly = refusal_of([&] { group.wait(); }); });
      EXPECT_EQ(group.wait(), skua::complete);
      group.run([&] { in_a_loop = refusal_of([&] { skua::parallel_for(0, 1, [&](int) { group.wait(); }); }); });
      group.run([&](auto& h) { in_a_child = refusal_of([&] { h.join([&](auto&) { group.wait(); }, [](auto&) {}); }); });
      EXPECT_EQ(group.wait(), skua::complete);
      for (auto const& said : {directly, in_a_loop, in_a_child})
        EXPECT_NE(said.find("allowed: a group of its own"), std::string::npos) << said;
      group.run([&] { group.run_and_wait([] {}); });
      EXPECT_THROW(group.wait(), skua::usage_error);
      // In a group of its own a task may wait, whatever groups are around.
      group.run([&] {
        skua::task_group inner;
        inner.run([] {});
        inner.wait();
      });
      EXPECT_EQ(group.wait(), skua::complete);
      static_cast<void>(here);
    });
  }
}

TEST(executor, a_handle_that_is_empty_or_another_groups_gets_a_usage_error) {
  skua::task_group group;
  skua::task_group other;
  skua::task_handle empty;
  std::atomic<int> ran{0};
  EXPECT_THROW(group.run(std::move(empty)), skua::usage_error);
  EXPECT_THROW(group.run_and_wait(skua::task_handle()), skua::usage_error);
  EXPECT_THROW(group.run(other.defer([&] { ++ran; })), skua::usage_error);
  skua::task_handle once = group.defer([&] { ++ran; });
  group.run(std::move(once));
  EXPECT_THROW(group.run(std::move(once)), skua::usage_error);  // NOLINT(bugprone-use-after-move): that is the point
  EXPECT_EQ(group.wait(), skua::complete);
  EXPECT_EQ(other.wait(), skua::complete);
  EXPECT_EQ(ran, 1);
}

TEST(executor, groups_and_joins_mix) {
  // Tasks start inside children of a join and are waited for outside: they must not come between a join and its entry.
  skua::pool pool({.workers = 3});
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> ran{0};
    auto const sum = pool.run([&](auto& h) {
      skua::task_group group;
      auto [a, b] = h.join(
          [&](auto& g) {
            for (int i = 0; i < 20; ++i) group.run([&] { ran.fetch_add(1, std::memory_order_relaxed); });
            auto [c, d] = g.join([](auto&) { return 1; }, [](auto&) { return 2; });
            return c + d;
          },
          [](auto&) { return 4; });
      group.wait();
      return a + b;
    });
    EXPECT_EQ(sum, 7);
    EXPECT_EQ(ran.load(), 20);
  }
}

TEST(executor, many_threads_may_call_from_outside) {
  std::vector<std::thread> users;
  std::atomic<long> total{0};
  for (int u = 0; u < 5; ++u) {
    users.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        std::vector<int> v(1000, 1);
        total += skua::parallel_reduce(
            skua::blocked_range<std::size_t>(0, v.size()), 0L,
            [&](auto const& r, long sum) {
              for (auto k = r.begin(); k != r.end(); ++k) sum += v[k];
              return sum;
            },
            std::plus<>{});
      }
    });
  }
  for (auto& u : users) u.join();
  EXPECT_EQ(total.load(), 5 * 20 * 1000);
}

TEST(executor, one_group_may_have_many_producers_and_one_waiter) {
  skua::task_group group;
  std::atomic<int> ran{0};
  std::vector<std::thread> producers;
  for (int p = 0; p < 4; ++p) {
    producers.emplace_back([&] {
      for (int i = 0; i < 100; ++i) group.run([&] { ran.fetch_add(1, std::memory_order_relaxed); });
    });
  }
  for (auto& p : producers) p.join();
  EXPECT_EQ(group.wait(), skua::complete);
  EXPECT_EQ(ran.load(), 400);
}

TEST(executor, a_failure_and_a_cancellation_reach_the_waiter) {
  skua::task_group group;
  group.run([] { throw std::runtime_error("task"); });
  EXPECT_THROW(group.wait(), std::runtime_error);
  std::atomic<bool> began{false};
  group.run([&] {
    began.store(true);
    skua::testing::wait_until("a task sees that its group is cancelled", [&] { return group.is_canceling(); });
  });
  skua::testing::wait_until("a task begins while its group is not waited for", [&] { return began.load(); });
  group.cancel();
  EXPECT_EQ(group.wait(), skua::canceled);
  std::atomic<int> ran{0};
  group.run([&] { ++ran; });
  EXPECT_EQ(group.wait(), skua::complete);
  EXPECT_EQ(ran.load(), 1);
}

TEST(executor, algorithms_may_be_called_from_a_task) {
  skua::pool pool({.workers = 3});
  std::vector<int> v(50'000);
  std::iota(v.rbegin(), v.rend(), 0);
  pool.run([&](auto&) { skua::parallel_sort(v.begin(), v.end()); });
  EXPECT_TRUE(std::is_sorted(v.begin(), v.end()));
  skua::parallel_for(std::size_t{0}, v.size(), [&](std::size_t i) { v[i] = static_cast<int>(2 * i); });
  EXPECT_EQ(v[777], 1554);
}

/// Runs in a process of its own, which has no default pool yet. A group that cannot start its task reports that, is as
/// good as new, and works as soon as there can be workers. Exits with 0 if all of that holds.
template <class Refusal, class F, class G>
[[noreturn]] void refuse_then_run(F&& make_impossible, G&& make_possible) {
  make_impossible();
  bool refused = false;
  int ran = 0;
  skua::task_group group;
  try {
    group.run([&] { ++ran; });
  } catch (Refusal const&) {
    refused = true;
  }
  bool const untouched = group.wait() == skua::complete && ran == 0;
  make_possible();
  group.run([&] { ++ran; });
  group.wait();
  std::_Exit(refused && untouched && ran == 1 ? 0 : 1);
}

TEST(executor, a_group_without_workers_throws_and_starts_nothing) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto const bad_variable = [] {
    refuse_then_run<skua::usage_error>([] { ::setenv("SKUA_WORKERS", "0", 1); }, [] { ::unsetenv("SKUA_WORKERS"); });
  };
  EXPECT_EXIT(bad_variable(), ::testing::ExitedWithCode(0), "");
}

TEST(executor, a_group_without_threads_throws_and_starts_nothing) {
  if (skua::runtime::under_tsan || skua::runtime::under_asan)
    GTEST_SKIP() << "the sanitizer lives in the address space";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto const no_room = [] {
    rlimit before{};
    ::getrlimit(RLIMIT_AS, &before);
    auto const take_room = [&] {
      std::size_t pages = 0;
      std::ifstream("/proc/self/statm") >> pages;
      rlimit little = before;
      little.rlim_cur = pages * 4096 + (std::size_t{2} << 20);  // no room for the stack of a thread
      ::setrlimit(RLIMIT_AS, &little);
    };
    refuse_then_run<std::exception>(take_room, [&] { ::setrlimit(RLIMIT_AS, &before); });
  };
  EXPECT_EXIT(no_room(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
