// SPDX-License-Identifier: MIT
// Cancellation (OMP_CANCELLATION=true); without it the same programs run to their ends. constructs_test.cpp says on which libraries this runs.
#include <gtest/gtest.h>
#include <omp.h>

#include <array>
#include <atomic>
#include <thread>

#include "tests/openmp/random_program.hpp"

namespace {

constexpr std::array sizes{1, 2, 3, 4, 8};

bool is_on() { return omp_get_cancellation() != 0; }

TEST(openmp_cancellation, of_a_region_skips_what_follows) {
  for (int const members : sizes) {
    std::atomic<int> before{0};
    std::atomic<int> after{0};
#pragma omp parallel num_threads(members)
    {
      ++before;
      if (omp_get_thread_num() == members - 1) {
#pragma omp cancel parallel
      }
#pragma omp barrier
#pragma omp cancellation point parallel
      ++after;
    }
    EXPECT_EQ(before, members);
    EXPECT_EQ(after, is_on() ? 0 : members);
  }
}

TEST(openmp_cancellation, of_a_region_ends_the_waits_of_loops_and_sections) {
  for (int const members : sizes) {
    std::atomic<int> after{0};
#pragma omp parallel num_threads(members)
    {
      if (omp_get_thread_num() == 0) {
#pragma omp cancel parallel
      }
#pragma omp for
      for (int i = 0; i < 100; ++i) {
#pragma omp cancellation point for
      }
#pragma omp sections
      {
#pragma omp section
        {
#pragma omp cancellation point sections
        }
      }
#pragma omp cancellation point parallel
      ++after;
    }
    EXPECT_EQ(after, is_on() ? 0 : members);
  }
}

TEST(openmp_cancellation, of_a_loop_is_over_at_its_end) {
  for (int const members : sizes) {
    std::atomic<int> ran{0};
    std::atomic<int> again{0};
#pragma omp parallel num_threads(members)
    {
#pragma omp for schedule(dynamic)
      for (int i = 0; i < 1000; ++i) {
        ++ran;
#pragma omp cancel for if (i == 0)
      }
#pragma omp for
      for (int i = 0; i < 100; ++i) ++again;
    }
    EXPECT_TRUE(is_on() ? ran >= 1 : ran == 1000) << ran;
    EXPECT_EQ(again, 100);
  }
}

TEST(openmp_cancellation, of_a_static_loop_reaches_all_members_and_no_loop_beside_or_after_it) {
  if (is_on() && !omp_random::is_on_skua()) GTEST_SKIP() << "libgomp cancels the loop that others are in still";
  for (int const members : sizes) {
    std::atomic<int> slow{0};
    std::atomic<int> second{0};
    std::atomic<int> third{0};
    std::atomic<bool> is_cancelled{false};
#pragma omp parallel num_threads(members)
    {
#pragma omp for schedule(dynamic) nowait
      for (int i = 0; i < members; ++i) {
        if (i == 0 && members > 1) {
          while (!is_cancelled) std::this_thread::yield();
        }
        ++slow;
#pragma omp cancellation point for
      }
#pragma omp for schedule(static)
      for (int i = 0; i < 2 * members; ++i) {
        is_cancelled = true;
#pragma omp cancel for if (i % 2 == 0)
        ++second;
      }
#pragma omp for schedule(static)
      for (int i = 0; i < 2 * members; ++i) {
        ++third;
#pragma omp cancellation point for
      }
    }
    EXPECT_EQ(slow, members);
    EXPECT_EQ(second, is_on() ? 0 : 2 * members);
    EXPECT_EQ(third, 2 * members);
  }
}

TEST(openmp_cancellation, of_a_taskgroup_reaches_descendants_and_not_the_tasks_around_it) {
  for (int const members : sizes) {
    std::atomic<int> around{0};
    std::atomic<int> inside{0};
    std::atomic<int> after_point{0};
    std::atomic<int> after_group{0};
#pragma omp parallel num_threads(members)
#pragma omp single
    {
#pragma omp task
      ++around;
#pragma omp taskgroup
      {
#pragma omp task
        {
#pragma omp task
          {
#pragma omp cancel taskgroup
          }
#pragma omp taskwait
#pragma omp task
          ++inside;
#pragma omp cancellation point taskgroup
          ++after_point;
        }
      }
#pragma omp task
      ++after_group;
    }
    EXPECT_EQ(around, 1) << members;
    EXPECT_EQ(inside, is_on() ? 0 : 1) << members;
    EXPECT_EQ(after_point, is_on() ? 0 : 1) << members;
    EXPECT_EQ(after_group, 1) << members;
  }
}

TEST(openmp_cancellation, of_an_inner_taskgroup_leaves_the_outer_one) {
  for (int const members : sizes) {
    std::atomic<int> outer{0};
    std::atomic<int> inner{0};
#pragma omp parallel num_threads(members)
#pragma omp single
#pragma omp taskgroup
    {
#pragma omp task
      {
#pragma omp taskgroup
        {
#pragma omp task
          {
#pragma omp cancel taskgroup
          }
#pragma omp taskwait
#pragma omp task
          ++inner;
        }
#pragma omp cancellation point taskgroup
        ++outer;
      }
    }
    EXPECT_EQ(outer, 1) << members;
    EXPECT_EQ(inner, is_on() ? 0 : 1) << members;
  }
}

}  // namespace
