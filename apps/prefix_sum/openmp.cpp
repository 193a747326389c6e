// SPDX-License-Identifier: MIT
// Prefix sums with OpenMP: both passes with the same static schedule, so that a thread gets the same blocks twice.
#include <numeric>

#include "apps/prefix_sum/problem.hpp"

namespace skua::apps::prefix_sum {

void with_openmp(unsigned workers, std::span<blocked_array const> arrays) {
  std::size_t const blocks = arrays.front().blocks();
  std::vector<element> sums(arrays.size() * blocks);
#pragma omp parallel num_threads(workers)
  {
#pragma omp for collapse(2) schedule(static)
    for (std::size_t a = 0; a < arrays.size(); ++a) {
      for (std::size_t i = 0; i < blocks; ++i) sums[a * blocks + i] = sum_of(arrays[a].at({i, i + 1}));
    }
#pragma omp for schedule(static)
    for (std::size_t a = 0; a < arrays.size(); ++a) {
      auto const of_array = std::span(sums).subspan(a * blocks, blocks);
      std::exclusive_scan(of_array.begin(), of_array.end(), of_array.begin(), element{0});
    }
#pragma omp for collapse(2) schedule(static)
    for (std::size_t a = 0; a < arrays.size(); ++a) {
      for (std::size_t i = 0; i < blocks; ++i) scan(arrays[a].at({i, i + 1}), sums[a * blocks + i]);
    }
  }
}

}  // namespace skua::apps::prefix_sum
