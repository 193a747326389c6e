// SPDX-License-Identifier: MIT
// Teams inside of teams (constructs_test.cpp says on which libraries this runs). This program has thread-local variables, so its own nested teams have threads;
// nested_programs.cpp has none.
#include <gtest/gtest.h>
#include <omp.h>
#include <sched.h>

#include <atomic>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "tests/openmp/nested_programs.hpp"

namespace {

bool is_under_skua() {
  char const* const preloaded = std::getenv("LD_PRELOAD");
  return preloaded != nullptr && std::string_view(preloaded).find("libgomp-skua") != std::string_view::npos;
}

TEST(openmp_regions, members_of_nested_teams_have_variables_of_their_own) {
  static int mine;
#pragma omp threadprivate(mine)
  omp_set_max_active_levels(2);
  int wrong = 0;
  for (int repeat = 0; repeat < 20; ++repeat) {
#pragma omp parallel num_threads(2) reduction(+ : wrong)
    {
      int const outer = 10 * omp_get_thread_num();
#pragma omp parallel num_threads(3) reduction(+ : wrong)
      {
        mine = outer + omp_get_thread_num();
#pragma omp barrier
        wrong += mine != outer + omp_get_thread_num();
      }
    }
  }
  EXPECT_EQ(wrong, 0);
  omp_set_max_active_levels(1);
}

/// With thread-local variables in the program, members may spin for each other after a barrier, too.
TEST(openmp_regions, members_of_nested_teams_spin_for_each_other) {
  omp_set_max_active_levels(2);
  std::atomic<int> rounds{0};
#pragma omp parallel num_threads(2)
  {
    std::atomic<int> turn{0};
#pragma omp parallel num_threads(3)
    for (int step = 0; step < 10; ++step) {
#pragma omp barrier
      while (turn.load(std::memory_order_relaxed) != 3 * step + 2 - omp_get_thread_num()) {}
      ++turn;
      if (omp_get_thread_num() == 0) ++rounds;
    }
  }
  EXPECT_EQ(rounds, 20);
  omp_set_max_active_levels(1);
}

TEST(openmp_regions, regions_inside_of_regions) {
  omp_set_max_active_levels(4);
  std::atomic<int> inner{0};
  std::atomic<int> after{0};
  std::atomic<int> wrong{0};
#pragma omp parallel num_threads(4)
  {
    int const outer = omp_get_thread_num();
#pragma omp parallel num_threads(3)
    {
      wrong += omp_get_level() != 2 || omp_get_ancestor_thread_num(1) != outer || omp_get_team_size(2) != 3;
#pragma omp barrier
#pragma omp parallel num_threads(2)
      {
        ++inner;
#pragma omp barrier
        wrong += inner < 2;
        ++after;
      }
    }
    wrong += omp_get_thread_num() != outer || omp_get_level() != 1;
  }
  EXPECT_EQ(inner, 24);
  EXPECT_EQ(after, 24);
  EXPECT_EQ(wrong, 0);
  omp_set_max_active_levels(1);
}

// Four members on fewer processors: those that spin may hold all workers.
TEST(openmp_regions, members_that_spin_do_not_stop_those_that_they_wait_for) {
  omp_set_max_active_levels(2);
  EXPECT_EQ(openmp_test::members_that_spin(), 8);
  omp_set_max_active_levels(1);
}

// A thread of the watch rescues members that nobody begins, but those that wait politely need none: their own thread runs the others. On a busy machine the
// watch may come first, so one round of many must do without.
TEST(openmp_regions, members_that_yield_let_others_of_their_thread_run) {
  omp_set_max_active_levels(2);
  int rounds_at_home = 0;
  for (int round = 0; round < 20 && rounds_at_home < 2; ++round) {
    openmp_test::yielded const seen = openmp_test::members_that_yield();
    EXPECT_EQ(seen.ran, 8);
    rounds_at_home += seen.away == 0 ? 1 : 0;
  }
  if (is_under_skua()) {
    EXPECT_EQ(rounds_at_home, 2);
  }
  omp_set_max_active_levels(1);
}

// Outside of all regions, and in members that no fiber shares a thread with, it is the system's.
TEST(openmp_regions, other_callers_yield_their_processor) {
  EXPECT_EQ(::sched_yield(), 0);
  std::thread([] { EXPECT_EQ(::sched_yield(), 0); }).join();
  std::atomic<int> arrived{0};
#pragma omp parallel num_threads(4)
  {
    ++arrived;
    while (arrived < 4) ::sched_yield();
#pragma omp taskyield
  }
  EXPECT_EQ(arrived, 4);
}

}  // namespace
