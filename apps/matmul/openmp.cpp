// SPDX-License-Identifier: MIT
// The matrix product with OpenMP tasks: three products of a group are tasks, the first is a direct call.
#include "apps/matmul/product.hpp"
#include "apps/matmul/rows.hpp"
#include "skua/parts/memory/z_matrix.hpp"

namespace skua::apps::matmul {

template <template <class> class View>
void with_openmp_tasks(product<View> const& p, leaf_function* leaf) {
  if (p.empty()) return;
  if (p.is_leaf()) return leaf(p.as_block());
  for (auto const& g : p.groups()) {
    if (g[0].empty()) continue;
    for (std::size_t i = 1; i < 4; ++i) {
      if (g[i].empty()) continue;
#pragma omp task shared(g) firstprivate(i, leaf)
      with_openmp_tasks(g[i], leaf);
    }
    with_openmp_tasks(g[0], leaf);
#pragma omp taskwait
  }
}

template <template <class> class View>
void with_openmp(unsigned workers, product<View> const& p, leaf_function* leaf) {
#pragma omp parallel num_threads(workers)
#pragma omp single
  with_openmp_tasks(p, leaf);
}

template void with_openmp_tasks(product<rows_view> const&, leaf_function*);
template void with_openmp_tasks(product<z_view> const&, leaf_function*);
template void with_openmp(unsigned, product<rows_view> const&, leaf_function*);
template void with_openmp(unsigned, product<z_view> const&, leaf_function*);

}  // namespace skua::apps::matmul
