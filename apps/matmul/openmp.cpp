// SPDX-License-Identifier: MIT
// The matrix product with OpenMP tasks: three quarters of a group are tasks, the first is a direct call.
#include "apps/matmul/problem.hpp"

namespace skua::apps::matmul {
namespace {

void multiply(block const& p, cutoff const& end) {
  if (p.empty()) return;
  if (end.reached(p)) return end.leaf(p);
  for (block const& half : halves(p, end)) {
    if (half.empty()) continue;
    std::array<block, 4> const q = quarters(half, end);
    for (std::size_t i = 1; i < 4; ++i) {
      if (q[i].empty()) continue;
#pragma omp task shared(q, end) firstprivate(i)
      multiply(q[i], end);
    }
    multiply(q[0], end);
#pragma omp taskwait
  }
}

}  // namespace

void with_openmp(unsigned workers, block const& p, cutoff const& end) {
#pragma omp parallel num_threads(workers)
#pragma omp single
  multiply(p, end);
}

}  // namespace skua::apps::matmul
