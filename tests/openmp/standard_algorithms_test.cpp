// SPDX-License-Identifier: MIT
// Members of a region that call parallel algorithms of the standard, which run on Skua's pool (skua/pstl.hpp), and algorithms whose elements run regions.
#include "skua/pstl.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <execution>
#include <numeric>
#include <random>
#include <vector>

#include "tests/programs/effort.hpp"

namespace {

std::vector<std::uint32_t> numbers(std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::uint32_t> all(1 + random() % 3000);
  for (std::uint32_t& one : all) one = static_cast<std::uint32_t>(random());
  return all;
}

bool sorts(std::uint32_t seed) {
  std::vector<std::uint32_t> all = numbers(seed);
  std::vector<std::uint32_t> right = all;
  std::ranges::sort(right);
  std::sort(std::execution::par, all.begin(), all.end());
  return all == right;
}

/// The sum by regions that the elements of an algorithm begin.
bool sums(std::uint32_t seed) {
  std::vector<std::uint32_t> const all = numbers(seed);
  std::vector<std::size_t> parts(1 + seed % 5);
  std::iota(parts.begin(), parts.end(), 0U);
  std::atomic<std::uint32_t> sum{0};
  std::for_each(std::execution::par, parts.begin(), parts.end(), [&](std::size_t part) {
    std::uint32_t of_part = 0;
#pragma omp parallel for reduction(+ : of_part) num_threads(2)
    for (std::size_t i = part; i < all.size(); i += parts.size()) of_part += all[i];
    sum += of_part;
  });
  return sum == std::reduce(std::execution::par, all.begin(), all.end());
}

TEST(openmp_meetings, algorithms_of_the_standard_and_regions_run_inside_of_each_other) {
  std::uint32_t const first = 4711;
  for (std::uint32_t seed = first; seed < first + skua::testing::full_or(400u, 20u); ++seed) {
    int wrong = 0;
#pragma omp parallel num_threads(3) reduction(+ : wrong)
    {
      std::uint32_t const mine = seed * 3 + static_cast<std::uint32_t>(omp_get_thread_num());
      wrong += sorts(mine) ? 0 : 1;
      wrong += sums(mine) ? 0 : 1;  // a nested region, in an element, in a member
#pragma omp barrier
#pragma omp single
#pragma omp taskloop shared(wrong)
      for (std::uint32_t task = 0; task < 4; ++task) {
        if (!sorts(seed + task)) {
#pragma omp atomic
          ++wrong;
        }
      }
    }
    wrong += sums(seed) ? 0 : 1;
    ASSERT_EQ(wrong, 0) << "seed " << seed;
  }
}

}  // namespace
