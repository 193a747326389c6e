// SPDX-License-Identifier: MIT
// heat-dag with OpenMP: one thread names the tasks of all iterations, and the blocks they depend on.
#include "apps/heat_dag/problem.hpp"

namespace skua::apps::heat_dag {
namespace {

void iterate(problem& p) {
  problem* const all = &p;  // tasks outlive this call
  std::size_t const n = p.blocks();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      cross const near(i, j, n);
      [[maybe_unused]] auto const block = [&](std::size_t k) { return p.now(near.at[k][0], near.at[k][1]); };
      [[maybe_unused]] float const *const own = p.now(i, j), *const up = block(0), *const down = block(1),
                                          *const left = block(2), *const right = block(3);
      [[maybe_unused]] float const* const to = p.next(i, j);
#pragma omp task depend(in : own[0], up[0], down[0], left[0], right[0]) depend(out : to[0]) firstprivate(i, j, all)
      all->compute(i, j, 0, all->rows_of(i));
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      [[maybe_unused]] float const* const from = p.next(i, j);
      [[maybe_unused]] float const* const to = p.now(i, j);
#pragma omp task depend(in : from[0]) depend(out : to[0]) firstprivate(i, j, all)
      all->copy(i, j, 0, all->rows_of(i));
    }
  }
}

}  // namespace

void with_openmp(unsigned workers, problem& p) {
#pragma omp parallel num_threads(workers)
#pragma omp single
  for (std::size_t t = 0; t < p.iterations(); ++t) iterate(p);
}

}  // namespace skua::apps::heat_dag
