// SPDX-License-Identifier: MIT
// Strassen's product with OpenMP tasks: six products of a step are tasks, the first is a direct call; the additions are task
// loops.
#include <omp.h>

#include "apps/strassen/program.hpp"

namespace skua::apps::strassen {
namespace {

template <template <class> class View>
void multiply(product<View> const& whole, tools<View> const& with, unsigned level) {
  if (level == with.levels) return matmul::with_openmp_tasks(whole, with.leaf);
  auto const room = with.room->take(level, static_cast<unsigned>(omp_get_thread_num()));
  step<View> const s(whole, room.data(), with);
  std::size_t const pieces = s.pieces();
#pragma omp taskloop grainsize(1) shared(s)
  for (std::size_t i = 0; i < 2 * pieces; ++i) s.sum_inputs(i);
  auto const p = s.products();
  for (std::size_t i = 1; i < p.size(); ++i) {
#pragma omp task shared(p, with) firstprivate(i, level)
    multiply(p[i], with, level + 1);
  }
  multiply(p[0], with, level + 1);
#pragma omp taskwait
#pragma omp taskloop grainsize(1) shared(s)
  for (std::size_t i = 0; i < pieces; ++i) s.sum_products(i);
}

}  // namespace

template <template <class> class View>
void with_openmp(unsigned workers, product<View> const& whole, tools<View> const& with) {
#pragma omp parallel num_threads(workers)
#pragma omp single
  multiply(whole, with, 0);
}

template void with_openmp(unsigned, product<rows_view> const&, tools<rows_view> const&);
template void with_openmp(unsigned, product<z_view> const&, tools<z_view> const&);

}  // namespace skua::apps::strassen
