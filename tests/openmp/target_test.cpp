// SPDX-License-Identifier: MIT
// Target regions on a machine without a device: both libraries run them on the host.
#include <gtest/gtest.h>
#include <omp.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstddef>

namespace {

struct large {
  std::array<int, 10> numbers{};
  double last = 0;
};

TEST(openmp_target, a_region_has_a_task_of_its_own_outside_of_all_teams) {
  int wrong = 0;
#pragma omp parallel num_threads(3) reduction(+ : wrong)
  {
    int const me = omp_get_thread_num();
    int mine = 0;
#pragma omp target map(tofrom : mine)
    {
      mine += omp_get_level() != 0 || omp_get_num_threads() != 1 || omp_get_thread_num() != 0;
      mine += omp_is_initial_device() == 0;
    }
    wrong += mine + (omp_get_thread_num() != me) + (omp_get_level() != 1);
  }
  EXPECT_EQ(wrong, 0);
}

TEST(openmp_target, firstprivate_variables_are_copies) {
  large all;
  all.numbers[3] = 4;
  all.last = 2.5;
  int small = 7;
  double sum = 0;
#pragma omp target firstprivate(all, small) map(tofrom : sum)
  {
    sum = all.numbers[3] + all.last + small;
    all.numbers[3] = small = 0;
    all.last = 0;
  }
  EXPECT_EQ(sum, 13.5);
  EXPECT_EQ(all.numbers[3], 4);
  EXPECT_EQ(all.last, 2.5);
  EXPECT_EQ(small, 7);
}

TEST(openmp_target, a_region_may_have_regions) {
  std::array<int, 100> squares{};
#pragma omp target map(tofrom : squares)
#pragma omp parallel for num_threads(3)
  for (std::size_t i = 0; i < squares.size(); ++i) squares[i] = static_cast<int>(i * i);
  for (std::size_t i = 0; i < squares.size(); ++i) EXPECT_EQ(squares[i], static_cast<int>(i * i));
}

TEST(openmp_target, teams_run_one_after_the_other) {
  int teams = 0;
  int wrong = 0;
#pragma omp target teams num_teams(3) thread_limit(2) map(tofrom : teams, wrong)
  {
    wrong += omp_get_num_teams() != 3 || omp_get_team_num() != teams;
    ++teams;
  }
  EXPECT_EQ(teams, 3);
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(omp_get_num_teams(), 1);
  int threads = 0;
#pragma omp target thread_limit(1) map(tofrom : threads)
  {
#pragma omp parallel num_threads(4) reduction(+ : threads)
    threads += 1;
  }
  EXPECT_EQ(threads, 1);
}

TEST(openmp_target, data_regions_change_nothing) {
  std::array<int, 4> values{1, 2, 3, 4};
#pragma omp target data map(tofrom : values)
  {
    values[0] = 10;
#pragma omp target update to(values)
#pragma omp target enter data map(to : values)
#pragma omp target
    values[1] += values[0];
#pragma omp target exit data map(from : values)
#pragma omp target update from(values)
  }
  EXPECT_EQ(values[1], 12);
}

TEST(openmp_target, nowait_and_depend_keep_the_order) {
  for (int repeat = 0; repeat < 50; ++repeat) {
    int x = 1;
#pragma omp parallel num_threads(3)
#pragma omp single
    {
#pragma omp task depend(out : x)
      x = x * 2;
#pragma omp target nowait depend(inout : x) map(tofrom : x)
      x = x + 100;
#pragma omp target update nowait depend(inout : x) from(x)
#pragma omp task depend(inout : x)
      x = x * 3;
#pragma omp taskwait
    }
    ASSERT_EQ(x, 306);
  }
}

TEST(openmp_target, memory_of_the_host_device) {
  EXPECT_EQ(omp_get_num_devices(), 0);
  int const host = omp_get_initial_device();
  auto* const block = static_cast<int*>(omp_target_alloc(4 * sizeof(int), host));
  ASSERT_NE(block, nullptr);
  std::array<int, 4> const from{1, 2, 3, 4};
  EXPECT_EQ(omp_target_memcpy(block, from.data(), 2 * sizeof(int), sizeof(int), 2 * sizeof(int), host, host), 0);
  EXPECT_EQ(block[1], 3);
  EXPECT_EQ(block[2], 4);
  EXPECT_NE(omp_target_is_present(block, host), 0);
  omp_target_free(block, host);
  int x = 0;
  EXPECT_EQ(omp_target_associate_ptr(&x, &x, sizeof x, 0, host), EINVAL);
  EXPECT_EQ(omp_target_disassociate_ptr(&x, host), EINVAL);
}

TEST(openmp_target, rectangles_are_copied_alone) {
  std::array<std::array<int, 5>, 4> from{};
  std::array<std::array<int, 6>, 3> to{};
  for (int i = 0; i < 20; ++i) from[static_cast<std::size_t>(i / 5)][static_cast<std::size_t>(i % 5)] = i;
  std::array<std::size_t, 2> const volume{2, 3};
  std::array<std::size_t, 2> const to_first{1, 2};
  std::array<std::size_t, 2> const from_first{2, 1};
  std::array<std::size_t, 2> const to_extents{3, 6};
  std::array<std::size_t, 2> const from_extents{4, 5};
  int const host = omp_get_initial_device();
  EXPECT_EQ(omp_target_memcpy_rect(to.data(), from.data(), sizeof(int), 2, volume.data(), to_first.data(),
                                   from_first.data(), to_extents.data(), from_extents.data(), host, host),
            0);
  for (std::size_t r = 0; r < 3; ++r) {
    for (std::size_t c = 0; c < 6; ++c) {
      bool const is_inside = r >= 1 && c >= 2 && c < 5;
      EXPECT_EQ(to[r][c], is_inside ? static_cast<int>((r + 1) * 5 + c - 1) : 0) << r << ' ' << c;
    }
  }
  EXPECT_EQ(omp_target_memcpy_rect(nullptr, nullptr, 0, 0, nullptr, nullptr, nullptr, nullptr, nullptr, host, host),
            INT_MAX);
}

}  // namespace
