// SPDX-License-Identifier: MIT
// nqueens with OpenMP: the same halving of a row's choices, one task and one taskwait per halving.
#include "apps/nqueens/problem.hpp"

namespace skua::apps::nqueens {
namespace {

std::uint64_t fill(board const& b);

std::uint64_t tried(board const& b, choices const& free, std::uint32_t first, std::uint32_t last) {
  if (last - first == 1) return fill(b.with(free[first]));
  std::uint32_t const middle = first + (last - first) / 2;
  std::uint64_t x = 0;
#pragma omp task shared(x, b, free)
  x = tried(b, free, first, middle);
  std::uint64_t const y = tried(b, free, middle, last);
#pragma omp taskwait
  return x + y;
}

std::uint64_t fill(board const& b) {
  if (b.full()) return 1;
  choices const free(b);
  return free.size() == 0 ? 0 : tried(b, free, 0, free.size());
}

}  // namespace

std::uint64_t with_openmp(unsigned workers, int n) {
  std::uint64_t result = 0;
#pragma omp parallel num_threads(workers)
#pragma omp single
  result = fill(board{.n = n});
  return result;
}

}  // namespace skua::apps::nqueens
