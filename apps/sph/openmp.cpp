// SPDX-License-Identifier: MIT
// sph with OpenMP: a loop over the array of leaves, in groups of four on demand as in the paper's baseline, or in equal
// blocks; or tasks down the tree. [adws-sc19 5.3]
#include "apps/sph/problem.hpp"

namespace skua::apps::sph {
namespace {

template <std::size_t D>
void by_tasks(particles<D>& p, node<D> const& n, pass which) {
  if (n.is_leaf()) return interact(p, n, which);
  for (node<D> const& child : p.tree.children(n)) {
#pragma omp task shared(p, child) firstprivate(which)
    by_tasks(p, child, which);
  }
#pragma omp taskwait
}

}  // namespace

template <std::size_t D>
void with_openmp(unsigned workers, problem<D>& problem, openmp_schedule schedule) {
  particles<D>& p = problem.now();
  problem.run([&](pass which) {
    std::size_t const leaves = p.tree.leaves().size();
    switch (schedule) {
      case openmp_schedule::of_static:
#pragma omp parallel for schedule(static) num_threads(workers)
        for (std::size_t i = 0; i < leaves; ++i) interact(p, p.tree.leaf(i), which);
        break;
      case openmp_schedule::of_dynamic:
#pragma omp parallel for schedule(dynamic, 4) num_threads(workers)
        for (std::size_t i = 0; i < leaves; ++i) interact(p, p.tree.leaf(i), which);
        break;
      case openmp_schedule::of_tasks:
#pragma omp parallel num_threads(workers)
#pragma omp single
        by_tasks(p, p.tree.root(), which);
        break;
    }
  });
}

template void with_openmp(unsigned workers, problem<2>& problem, openmp_schedule schedule);
template void with_openmp(unsigned workers, problem<3>& problem, openmp_schedule schedule);

}  // namespace skua::apps::sph
