// SPDX-License-Identifier: MIT
// Tasks of OpenMP: constructs_test.cpp says on which libraries this runs.
#include <gtest/gtest.h>
#include <omp.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace {

/// The sizes of teams: one, as many as processors or fewer, more.
constexpr std::array sizes{1, 2, 3, 4, 8};

long fib(int n) {
  if (n < 2) return n;
  long x = 0;
  long y = 0;
#pragma omp task shared(x) firstprivate(n)
  x = fib(n - 1);
#pragma omp task shared(y) firstprivate(n)
  y = fib(n - 2);
#pragma omp taskwait
  return x + y;
}

TEST(openmp_tasks, trees_of_tasks) {
  for (int const members : sizes) {
    long result = 0;
#pragma omp parallel num_threads(members)
#pragma omp single
    result = fib(18);
    EXPECT_EQ(result, 2584) << members;
  }
}

TEST(openmp_tasks, a_barrier_waits_for_all_of_them) {
  for (int const members : sizes) {
    std::atomic<int> ran{0};
    std::atomic<int> wrong{0};
#pragma omp parallel num_threads(members)
    {
#pragma omp for
      for (int i = 0; i < 100; ++i) {
#pragma omp task
        {
#pragma omp task
          ++ran;
          ++ran;
        }
      }
      wrong += ran != 200;
    }
    EXPECT_EQ(ran, 200) << members;
    EXPECT_EQ(wrong, 0) << members;
  }
}

TEST(openmp_tasks, numbers_of_threads_are_those_of_the_team) {
  for (int const members : sizes) {
    std::vector<std::atomic<int>> inside(64);
    std::atomic<int> wrong{0};
#pragma omp parallel num_threads(members)
#pragma omp single
    for (int i = 0; i < 500; ++i) {
#pragma omp task
      {
        int const m = omp_get_thread_num();
        wrong += m < 0 || m >= members || inside[static_cast<std::size_t>(m)]++ != 0;
        std::this_thread::yield();  // so that others come in between
        --inside[static_cast<std::size_t>(m)];
      }
    }
    EXPECT_EQ(wrong, 0) << members;
  }
}

TEST(openmp_tasks, groups_wait_for_descendants_and_taskloops_for_themselves) {
  for (int const members : sizes) {
    std::atomic<int> ran{0};
#pragma omp parallel num_threads(members)
#pragma omp single
    {
#pragma omp taskgroup
      for (int i = 0; i < 50; ++i) {
#pragma omp task
        {
#pragma omp task
          ++ran;
        }
      }
      EXPECT_EQ(ran, 50) << members;
#pragma omp taskloop grainsize(7)
      for (int i = 0; i < 100; ++i) ++ran;
      EXPECT_EQ(ran, 150) << members;
#pragma omp taskloop num_tasks(9)
      for (int i = 99; i >= 0; --i) ++ran;
      EXPECT_EQ(ran, 250) << members;
#pragma omp taskloop
      for (std::uint64_t i = 0; i < 10; ++i) ++ran;
      EXPECT_EQ(ran, 260) << members;
    }
  }
}

TEST(openmp_tasks, dependences_order_siblings) {
  for (int const members : sizes) {
    for (int repeat = 0; repeat < 10; ++repeat) {
      int x = 0;
      int y = 0;
      std::atomic<int> wrong{0};
#pragma omp parallel num_threads(members)
#pragma omp single
      {
        for (int i = 0; i < 20; ++i) {
#pragma omp task depend(out : x) shared(x) firstprivate(i)
          x = i;
#pragma omp task depend(in : x) shared(x, wrong) firstprivate(i)
          wrong += x != i;
#pragma omp task depend(in : x) depend(inout : y) shared(x, y, wrong) firstprivate(i)
          {
            wrong += x != i;
            ++y;
          }
#pragma omp task depend(inout : x, y) if (0) shared(y, wrong) firstprivate(i)
          wrong += y != i + 1;
        }
#pragma omp task depend(mutexinoutset : y) shared(y)
        ++y;
#pragma omp task depend(mutexinoutset : y) shared(y)
        ++y;
#pragma omp taskwait depend(in : y)
        wrong += y != 22;
      }
      EXPECT_EQ(wrong, 0) << members;
    }
  }
}

TEST(openmp_tasks, final_ones_have_included_children) {
  std::atomic<int> wrong{0};
#pragma omp parallel num_threads(3)
#pragma omp single
  {
#pragma omp task final(1) shared(wrong)
    {
      wrong += omp_in_final() == 0;
      int ran = 0;
#pragma omp task shared(ran)
      ran = 1;
      wrong += ran != 1;
      int first = 0;
      int second = 0;
#pragma omp task shared(first) depend(out : first)
      first = 1;
#pragma omp task shared(first, second) depend(in : first) depend(out : second)
      second = first + 1;
      wrong += second != 2;
      struct counted {  // GCC copies it by a function
        int value = 7;
        char more[600] = {};
        counted() = default;
        counted(counted const& from) : value(from.value + 1) {}
      } given;
      int seen = 0;
#pragma omp task firstprivate(given) shared(seen)
      seen = given.value;
      wrong += seen < 8;
    }
  }
  EXPECT_EQ(wrong, 0);
}

TEST(openmp_tasks, a_detached_task_ends_with_its_event) {
  for (int const members : {2, 4}) {
    std::atomic<int> steps{0};
    int wrong = 0;
#pragma omp parallel num_threads(members)
#pragma omp single
    {
      omp_event_handle_t event;
#pragma omp task detach(event) shared(steps)
      ++steps;
#pragma omp task firstprivate(event) shared(steps)
      {
        ++steps;
        omp_fulfill_event(event);
      }
#pragma omp taskwait
      wrong = steps != 2;
    }
    EXPECT_EQ(wrong, 0) << members;
  }
}

}  // namespace
