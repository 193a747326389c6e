// SPDX-License-Identifier: MIT
// chains with OpenMP: a task per step, which depends on the one before by its chain.
#include "apps/chains/problem.hpp"

namespace skua::apps::chains {

void with_openmp(unsigned workers, problem& p) {
#pragma omp parallel num_threads(workers)
#pragma omp single
  for (chain& c : p.chains()) {
    chain* const mine = &c;
    for (std::uint64_t step = 0; step < c.steps(); ++step) {
#pragma omp task depend(inout : mine[0]) firstprivate(mine, step)
      mine->run(step);
    }
  }
}

}  // namespace skua::apps::chains
