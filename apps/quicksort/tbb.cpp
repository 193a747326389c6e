// SPDX-License-Identifier: MIT
// quicksort with oneTBB: a task for the larger half; one task_group waits for all.
#include <tbb/task_group.h>

#include "apps/quicksort/problem.hpp"

namespace skua::apps::quicksort {
namespace {

void sort_tasks(tbb::task_group& all, part p, std::size_t cutoff) {
  while (!p.is_leaf(cutoff)) {
    halves const both = split(p);
    part const larger = both.larger;
    if (larger.is_leaf(cutoff)) {
      larger.sort_leaf();
    } else {
      all.run([&all, larger, cutoff] { sort_tasks(all, larger, cutoff); });
    }
    p = both.smaller;
  }
  p.sort_leaf();
}

}  // namespace

void with_tbb(tbb_workers& workers, unsigned count, std::span<key> keys, std::size_t cutoff) {
  workers.run(count, [&] {
    tbb::task_group all;
    all.run_and_wait([&] { sort_tasks(all, part::whole(keys), cutoff); });
  });
}

}  // namespace skua::apps::quicksort
