// SPDX-License-Identifier: MIT
// nbody-chain with OpenMP: all threads share every task.
#include <omp.h>

#include "apps/nbody_chain/problem.hpp"

namespace skua::apps::nbody_chain {

void with_openmp(unsigned workers, problem& p) {
#pragma omp parallel num_threads(workers)
  {
    auto const threads = static_cast<std::size_t>(omp_get_num_threads());
    auto const me = static_cast<std::size_t>(omp_get_thread_num());
    for (std::uint64_t i = 0; i < 2 * p.iterations(); ++i) {
      p.run(i % 2, p.n() * me / threads, p.n() * (me + 1) / threads, i / 2);
#pragma omp barrier
    }
  }
}

}  // namespace skua::apps::nbody_chain
