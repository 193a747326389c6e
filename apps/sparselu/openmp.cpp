// SPDX-License-Identifier: MIT
// sparselu with OpenMP: one thread names the tasks, and the blocks they depend on.
#include "apps/sparselu/problem.hpp"

namespace skua::apps::sparselu {

void with_openmp(unsigned workers, block_matrix& a) {
  std::size_t const size = a.size();
#pragma omp parallel num_threads(workers)
#pragma omp single
  for_each_task(a, [size](task const& next) {
    task const t = next;  // tasks outlive the closure
    std::size_t const n = size;
    [[maybe_unused]] float* const block = t.block;
    [[maybe_unused]] float const* const first = t.first;
    [[maybe_unused]] float const* const second = t.second == nullptr ? first : t.second;
    if (t.first == nullptr) {
#pragma omp task depend(inout : block[0]) firstprivate(t, n)
      t.run(n);
    } else {
#pragma omp task depend(in : first[0], second[0]) depend(inout : block[0]) firstprivate(t, n)
      t.run(n);
    }
  });
}

}  // namespace skua::apps::sparselu
