// SPDX-License-Identifier: MIT
// cilksort with OpenMP tasks: a task for every child but the last, which is called directly, and a taskwait.
#include "apps/cilksort/problem.hpp"

namespace skua::apps::cilksort {
namespace {

void merge_tasks(merging const& m) {
  if (m.is_leaf()) return m.run_leaf();
  auto const halves = m.halves();
#pragma omp task shared(halves)
  merge_tasks(halves.first);
  merge_tasks(halves.second);
#pragma omp taskwait
}

void sort_tasks(sorting const& s) {
  if (s.is_leaf()) return s.run_leaf();
  auto const quarters = s.quarters();
  for (std::size_t i = 0; i < 3; ++i) {
#pragma omp task shared(quarters) firstprivate(i)
    sort_tasks(quarters[i]);
  }
  sort_tasks(quarters[3]);
#pragma omp taskwait
#pragma omp task shared(s)
  merge_tasks(s.first_half());
  merge_tasks(s.second_half());
#pragma omp taskwait
  merge_tasks(s.back());
}

}  // namespace

void with_openmp(unsigned workers, sorting const& s) {
#pragma omp parallel num_threads(workers)
#pragma omp single
  sort_tasks(s);
}

}  // namespace skua::apps::cilksort
