// SPDX-License-Identifier: MIT
// matmul-dag with OpenMP: one thread names the tasks, and the blocks they depend on.
#include "apps/matmul_dag/problem.hpp"

namespace skua::apps::matmul_dag {

void with_openmp(unsigned workers, problem& p) {
#pragma omp parallel num_threads(workers)
#pragma omp single
  p.for_each_task([&p](task const& next) {
    task const t = next;  // tasks outlive the closure
    problem const* const all = &p;
    [[maybe_unused]] float const* const to = t.p.c.data();
    [[maybe_unused]] float const* const from = t.p.a.data();
#pragma omp task depend(in : from[0]) depend(inout : to[0]) firstprivate(t, all)
    all->run(t);
  });
}

}  // namespace skua::apps::matmul_dag
