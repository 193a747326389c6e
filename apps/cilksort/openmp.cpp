// SPDX-License-Identifier: MIT
// cilksort with OpenMP tasks: a task for every child but the last, which is called directly, and a taskwait.
#include "apps/cilksort/problem.hpp"

namespace skua::apps::cilksort {
namespace {

template <sort_key Key>
void merge_tasks(merging<Key> const& m) {
  if (m.is_leaf()) return m.run_leaf();
  auto const halves = m.halves();
#pragma omp task shared(halves)
  merge_tasks(halves.first);
  merge_tasks(halves.second);
#pragma omp taskwait
}

template <sort_key Key>
void sort_tasks(sorting<Key> const& s) {
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

template <sort_key Key>
void with_openmp(unsigned workers, sorting<Key> const& s) {
#pragma omp parallel num_threads(workers)
#pragma omp single
  sort_tasks(s);
}

template void with_openmp(unsigned, sorting<std::int32_t> const&);
template void with_openmp(unsigned, sorting<std::int64_t> const&);

}  // namespace skua::apps::cilksort
