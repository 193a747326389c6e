// SPDX-License-Identifier: MIT
// quicksort with OpenMP tasks: a task for the larger half; one taskgroup waits for all.
#include "apps/quicksort/problem.hpp"

namespace skua::apps::quicksort {
namespace {

void sort_tasks(part p, std::size_t cutoff) {
  while (!p.is_leaf(cutoff)) {
    halves const both = split(p);
    part const larger = both.larger;
    if (larger.is_leaf(cutoff)) {
      larger.sort_leaf();
    } else {
#pragma omp task firstprivate(larger, cutoff)
      sort_tasks(larger, cutoff);
    }
    p = both.smaller;
  }
  p.sort_leaf();
}

}  // namespace

void with_openmp(unsigned workers, std::span<key> keys, std::size_t cutoff) {
#pragma omp parallel num_threads(workers)
#pragma omp single
#pragma omp taskgroup
  sort_tasks(part::whole(keys), cutoff);
}

}  // namespace skua::apps::quicksort
