// SPDX-License-Identifier: MIT
// The conventional face on real workers: from outside, from tasks, many groups at once; cancellation and failure.
#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include "skua/skua.hpp"

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

TEST(Venue, NestedGroupsFromOutside) {
  for (int i = 0; i < 5; ++i) EXPECT_EQ(fib(15), 610);
}

TEST(Venue, NestedGroupsInsideAPool) {
  for (std::uint32_t workers : {1U, 2U, 4U}) {
    skua::pool pool({.workers = workers});
    for (int i = 0; i < 5; ++i) EXPECT_EQ(pool.run([](auto&) { return fib(14); }), 377);
  }
}

TEST(Venue, GroupsAndJoinsMix) {
  // Tasks are started inside join children and waited for outside: they must not come between a join and its own entry.
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

TEST(Venue, ManyThreadsFromOutside) {
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

TEST(Venue, OneGroupManyProducersOneWaiter) {
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

TEST(Venue, FailureAndCancellation) {
  skua::task_group group;
  group.run([] { throw std::runtime_error("task"); });
  EXPECT_THROW(group.wait(), std::runtime_error);
  std::atomic<bool> began{false};
  group.run([&] {
    began.store(true);
    while (!group.is_canceling()) std::this_thread::yield();
  });
  while (!began.load()) std::this_thread::yield();
  group.cancel();
  EXPECT_EQ(group.wait(), skua::canceled);
  std::atomic<int> ran{0};
  group.run([&] { ++ran; });
  EXPECT_EQ(group.wait(), skua::complete);
  EXPECT_EQ(ran.load(), 1);
}

TEST(Venue, AlgorithmsFromATask) {
  skua::pool pool({.workers = 3});
  std::vector<int> v(50'000);
  std::iota(v.rbegin(), v.rend(), 0);
  pool.run([&](auto&) { skua::parallel_sort(v.begin(), v.end()); });
  EXPECT_TRUE(std::is_sorted(v.begin(), v.end()));
  skua::parallel_for(std::size_t{0}, v.size(), [&](std::size_t i) { v[i] = static_cast<int>(2 * i); });
  EXPECT_EQ(v[777], 1554);
}

}  // namespace
