// SPDX-License-Identifier: MIT
// UTS with OpenMP: one task per child and one taskwait per node, the last child called directly.
#include <omp.h>

#include "apps/uts/problem.hpp"

namespace skua::apps::uts {
namespace {

void visit(tree const& which, node const at, ledger& seen) {
  std::uint32_t const born = which.children_of(at);
  seen.count(static_cast<std::uint32_t>(omp_get_thread_num()), at, born == 0);
  if (born == 0) return;
  for (std::uint32_t i = 0; i + 1 < born; ++i) {
#pragma omp task shared(which, at, seen) firstprivate(i)
    visit(which, child(at, i), seen);
  }
  visit(which, child(at, born - 1), seen);
#pragma omp taskwait
}

}  // namespace

tally with_openmp(unsigned workers, tree const& which) {
  ledger seen(workers);
#pragma omp parallel num_threads(workers)
#pragma omp single
  visit(which, which.root(), seen);
  return seen.total();
}

}  // namespace skua::apps::uts
