// SPDX-License-Identifier: MIT
// UTS with OpenMP: one task per child that has children, one taskwait per node; a last child is called directly.
#include <omp.h>

#include "apps/uts/problem.hpp"

namespace skua::apps::uts {
namespace {

tally& my_counts(search& whole) { return whole.counts_of(static_cast<std::uint32_t>(omp_get_thread_num())); }

void below(search& whole, node const& parent, std::uint32_t born) {
  tally& counts = my_counts(whole);  // a task stays on its thread
  for (std::uint32_t i = 0; i < born; ++i) {
    node const drawn = child(parent, i);
    std::uint32_t const its = whole.meet(counts, drawn);
    if (its == 0) continue;
    if (i + 1 == born) {
      below(whole, drawn, its);
    } else {
#pragma omp task shared(whole) firstprivate(drawn, its)
      below(whole, drawn, its);
    }
  }
#pragma omp taskwait
}

}  // namespace

tally with_openmp(unsigned workers, tree const& which) {
  search whole(which, workers);
  node const root = which.root();
#pragma omp parallel num_threads(workers)
#pragma omp single
  below(whole, root, whole.meet(my_counts(whole), root));
  return whole.total();
}

}  // namespace skua::apps::uts
