// SPDX-License-Identifier: MIT
// cholesky with OpenMP: one thread names the tasks, and the tiles they depend on.
#include "apps/cholesky/problem.hpp"

namespace skua::apps::cholesky {

void with_openmp(unsigned workers, problem& p) {
#pragma omp parallel num_threads(workers)
#pragma omp single
  for_each_task(p.of().tiles(), [&p](task const& next) {
    task const t = next;  // tasks outlive the closure
    problem* const all = &p;
    [[maybe_unused]] double* const to = p.matrix().at(t.i, t.j);
    if (t.what == operation::factor) {
#pragma omp task depend(inout : to[0]) firstprivate(t, all)
      all->run(t);
      return;
    }
    // Of a `solve`, (j, k) is the factored tile; of a `square`, both are the same.
    [[maybe_unused]] double const* const second = p.matrix().at(t.j, t.k);
    [[maybe_unused]] double const* const first = t.what == operation::solve ? second : p.matrix().at(t.i, t.k);
#pragma omp task depend(in : first[0], second[0]) depend(inout : to[0]) firstprivate(t, all)
    all->run(t);
  });
}

}  // namespace skua::apps::cholesky
