// SPDX-License-Identifier: MIT
// heat with OpenMP. The static schedule is the one to beat: each thread gets the same rows in every iteration.
#include <omp.h>

#include <algorithm>

#include "apps/heat/problem.hpp"

namespace skua::apps::heat {
namespace {

/// One band for each thread: the sweep takes long bands faster than single rows.
void by_static(problem& p, cutoff const& end) {
  auto const threads = static_cast<std::size_t>(omp_get_num_threads());
  for (std::size_t i = 0; i < p.iterations(); ++i) {
    rectangle const r = p.whole(i);
#pragma omp for schedule(static)
    for (std::size_t t = 0; t < threads; ++t) end.sweep(band(r, r.rows * t / threads, r.rows * (t + 1) / threads));
  }
}

void by_dynamic(problem& p, cutoff const& end) {
  for (std::size_t i = 0; i < p.iterations(); ++i) {
    rectangle const r = p.whole(i);
#pragma omp for schedule(dynamic)
    for (std::size_t row = 0; row < r.rows; row += end.rows) end.sweep(band(r, row, std::min(row + end.rows, r.rows)));
  }
}

void step_by_tasks(rectangle const& r, cutoff const& end) {
  if (end.reached(r)) return end.sweep(r);
  std::array<rectangle, 4> const q = quarters(r, end);
  for (std::size_t i = 1; i < 4; ++i) {
#pragma omp task shared(q, end) firstprivate(i)
    step_by_tasks(q[i], end);
  }
  step_by_tasks(q[0], end);
#pragma omp taskwait
}

}  // namespace

void with_openmp(unsigned workers, problem& p, cutoff const& end, openmp_schedule schedule) {
#pragma omp parallel num_threads(workers)
  {
    switch (schedule) {
      case openmp_schedule::of_static: by_static(p, end); break;
      case openmp_schedule::of_dynamic: by_dynamic(p, end); break;
      case openmp_schedule::of_tasks:
#pragma omp single
        for (std::size_t i = 0; i < p.iterations(); ++i) step_by_tasks(p.whole(i), end);
        break;
    }
  }
}

}  // namespace skua::apps::heat
