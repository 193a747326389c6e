// SPDX-License-Identifier: MIT
// The standard's parallel algorithms where they meet exceptions, cancellation, locks and each other.
#include "tests/pstl/cases.hpp"
//
#include <atomic>
#include <mutex>
#include <new>
#include <numeric>
#include <set>
#include <stdexcept>
#include <thread>

namespace skua { inline namespace v0 { namespace {

using skua::testing::ints;

TEST(pstl_borders, work_runs_on_the_workers_of_the_caller) {
  pool three({.workers = 3});
  ints const a(1000, 1);
  three.run([&](auto&) {
    std::for_each(std::execution::par, a.begin(), a.end(), [](int) {
      EXPECT_TRUE(skua::this_worker().has_value());
      EXPECT_EQ(skua::num_workers(), 3U);
    });
  });
}

TEST(pstl_borders_death_test, an_exception_ends_the_process) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  ints a(1000, 1);
  EXPECT_DEATH(std::for_each(std::execution::par, a.begin(), a.end(),
                             [](int& x) {
                               if (x == 1) throw std::runtime_error("the text of the exception");
                             }),
               "the text of the exception");
  EXPECT_DEATH(std::sort(std::execution::par, a.begin(), a.end(),
                         [](int, int) -> bool { throw std::runtime_error("the text of the exception"); }),
               "the text of the exception");
}

// Functions of the user must not throw; the algorithms' own memory may be missing.
TEST(pstl_borders, bad_alloc_leaves_the_backend) {
  EXPECT_THROW(runtime::pstl::__parallel_for(std::execution::par, 0, 1000, [](int, int) { throw std::bad_alloc(); }),
               std::bad_alloc);
}

TEST(pstl_borders, a_cancelled_group_around_it_does_not_end_an_algorithm) {
  ints const a(1000, 1);
  std::atomic<int> ran{0};
  task_group group;
  group.run([&] {
    group.cancel();
    std::for_each(std::execution::par, a.begin(), a.end(), [&](int x) { ran += x; });
    EXPECT_EQ(std::reduce(std::execution::par, a.begin(), a.end()), 1000);
  });
  group.wait();
  EXPECT_EQ(ran, 1000);
}

// A thread that waits in an algorithm begins no other task: it may hold a lock that the other task wants, too.
TEST(pstl_borders, a_lock_may_be_held_across_an_algorithm) {
  std::mutex door;
  std::atomic<int> done{0};
  ints const a(64, 1);
  auto const visit = [&] {
    std::lock_guard const held(door);
    done += std::transform_reduce(std::execution::par, a.begin(), a.end(), 0, std::plus<>(), [](int x) {
      std::this_thread::yield();
      return x;
    });
  };
  pool two({.workers = 2});
  two.run([&](auto&) {
    task_group group;
    for (int i = 0; i < 40; ++i) group.run(visit);
    group.wait();
  });
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] {
      for (int j = 0; j < 5; ++j) visit();
    });
  for (std::thread& one : threads) one.join();
  EXPECT_EQ(done, 55 * 64);
}

TEST(pstl_borders, par_unseq_gives_the_same_answers) {
  ints a = skua::testing::drawn(100'003, 1000, 5);
  long const sum = std::accumulate(a.begin(), a.end(), 0L);
  EXPECT_EQ(std::reduce(std::execution::par_unseq, a.begin(), a.end(), 0L), sum);
  std::for_each(std::execution::par_unseq, a.begin(), a.end(), [](int& x) { x *= 2; });
  std::sort(std::execution::par_unseq, a.begin(), a.end());
  EXPECT_TRUE(std::is_sorted(a.begin(), a.end()));
  EXPECT_EQ(std::reduce(std::execution::par_unseq, a.begin(), a.end(), 0L), 2 * sum);
}

TEST(pstl_borders, algorithms_inside_of_algorithms) {
  std::vector<ints> rows(50);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].resize(10 * i);
    std::iota(rows[i].rbegin(), rows[i].rend(), 0);
  }
  std::for_each(std::execution::par, rows.begin(), rows.end(),
                [](ints& row) { std::sort(std::execution::par, row.begin(), row.end()); });
  for (ints const& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) EXPECT_EQ(row[i], static_cast<int>(i));
}

}}}  // namespace skua::v0
