// SPDX-License-Identifier: MIT
// nqueens with OpenMP: one task per queen and one taskwait per row, the last queen of a row called directly.
#include "apps/nqueens/problem.hpp"

namespace skua::apps::nqueens {
namespace {

std::uint64_t fill(board const& b) {
  if (b.full()) return 1;
  choices const free(b);
  if (free.size() == 0) return 0;
  findings found;
  std::uint32_t const last = free.size() - 1;
  for (std::uint32_t i = 0; i < last; ++i) {
#pragma omp task shared(b, free, found) firstprivate(i)
    found[i] = fill(b.with(free[i]));
  }
  found[last] = fill(b.with(free[last]));
#pragma omp taskwait
  return found.sum(free.size());
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
