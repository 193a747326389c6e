// SPDX-License-Identifier: MIT
// qr with OpenMP: one thread names the tasks, and the tiles and factors they depend on.
#include "apps/qr/problem.hpp"

namespace skua::apps::qr {

void with_openmp(unsigned workers, problem& p) {
#pragma omp parallel num_threads(workers)
#pragma omp single
  for_each_task(p.of().tiles(), [&p](task const& next) {
    task const t = next;  // tasks outlive the closure
    problem* const all = &p;
    [[maybe_unused]] double* const to = p.at(t.i, t.j);
    [[maybe_unused]] double* const top = p.at(t.k, t.j);
    [[maybe_unused]] double* const factor = p.factor_of(t.i, t.k);
    [[maybe_unused]] double* const v = t.what == operation::update ? p.reflectors(t.k) : p.at(t.i, t.k);
    switch (t.what) {
      case operation::factor: {
        [[maybe_unused]] double* const copy = p.reflectors(t.k);
#pragma omp task depend(inout : to[0]) depend(out : factor[0], copy[0]) firstprivate(t, all)
        all->run(t);
        return;
      }
      case operation::eliminate:
#pragma omp task depend(inout : top[0], to[0]) depend(out : factor[0]) firstprivate(t, all)
        all->run(t);
        return;
      case operation::update:
#pragma omp task depend(in : v[0], factor[0]) depend(inout : to[0]) firstprivate(t, all)
        all->run(t);
        return;
      case operation::update_pair:
#pragma omp task depend(in : v[0], factor[0]) depend(inout : top[0], to[0]) firstprivate(t, all)
        all->run(t);
        return;
    }
  });
}

}  // namespace skua::apps::qr
