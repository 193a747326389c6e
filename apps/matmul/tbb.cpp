// SPDX-License-Identifier: MIT
// The matrix product with oneTBB: each group of four products is one parallel_invoke.
#include <tbb/parallel_invoke.h>

#include "apps/matmul/product.hpp"
#include "apps/matmul/rows.hpp"
#include "skua/parts/memory/z_matrix.hpp"

namespace skua::apps::matmul {

template <template <class> class View>
void with_tbb_tasks(product<View> const& p, leaf_function* leaf) {
  if (p.empty()) return;
  if (p.is_leaf()) return leaf(p.as_block());
  for (auto const& g : p.groups()) {
    if (g[0].empty()) continue;
    tbb::parallel_invoke([&] { with_tbb_tasks(g[0], leaf); }, [&] { with_tbb_tasks(g[1], leaf); },
                         [&] { with_tbb_tasks(g[2], leaf); }, [&] { with_tbb_tasks(g[3], leaf); });
  }
}

template void with_tbb_tasks(product<rows_view> const&, leaf_function*);
template void with_tbb_tasks(product<z_view> const&, leaf_function*);

}  // namespace skua::apps::matmul
