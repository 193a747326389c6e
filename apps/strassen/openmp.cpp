// SPDX-License-Identifier: MIT
// Strassen's product with OpenMP tasks: six products of a step are tasks, the first is a direct call; the pieces of the
// additions are tasks, too.
#include <omp.h>

#include <cstddef>

#include "apps/strassen/program.hpp"

namespace skua::apps::strassen {
namespace {

/// Calls f(0) .. f(count - 1) as tasks; returns when all have returned.
template <class F>
void each(std::size_t count, F const& f) {
  for (std::size_t i = 1; i < count; ++i) {
#pragma omp task shared(f) firstprivate(i)
    f(i);
  }
  f(0);
#pragma omp taskwait
}

template <template <class> class View>
void multiply(product<View> const& whole, tools<View> const& with, unsigned level) {
  if (level == with.levels) return matmul::with_openmp_tasks(whole, with.leaf);
  auto const room = with.room->take(level, static_cast<unsigned>(omp_get_thread_num()));
  step<View> const s(whole, room.data(), with);
  each(2 * s.pieces(), [&](std::size_t i) { s.sum_inputs(i); });
  auto const p = s.products();
  each(p.size(), [&](std::size_t i) { multiply(p[i], with, level + 1); });
  each(s.pieces(), [&](std::size_t i) { s.sum_products(i); });
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
