// SPDX-License-Identifier: MIT
// Strassen's product with oneTBB: the seven products of a step are one task_group, the additions are loops.
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include "apps/strassen/program.hpp"

namespace skua::apps::strassen {
namespace {

template <template <class> class View>
void multiply(product<View> const& whole, tools<View> const& with, unsigned level) {
  if (level == with.levels) return matmul::with_tbb_tasks(whole, with.leaf);
  auto const room = with.room->take(level, static_cast<unsigned>(tbb::this_task_arena::current_thread_index()));
  step<View> const s(whole, room.data(), with);
  tbb::parallel_for(std::size_t{0}, 2 * s.pieces(), [&](std::size_t i) { s.sum_inputs(i); });
  auto const p = s.products();
  tbb::task_group all;
  for (std::size_t i = 1; i < p.size(); ++i) all.run([&, i] { multiply(p[i], with, level + 1); });
  all.run_and_wait([&] { multiply(p[0], with, level + 1); });
  tbb::parallel_for(std::size_t{0}, s.pieces(), [&](std::size_t i) { s.sum_products(i); });
}

}  // namespace

template <template <class> class View>
void with_tbb(tbb_workers& workers, unsigned count, product<View> const& whole, tools<View> const& with) {
  workers.run(count, [&] { multiply(whole, with, 0); });
}

template void with_tbb(tbb_workers&, unsigned, product<rows_view> const&, tools<rows_view> const&);
template void with_tbb(tbb_workers&, unsigned, product<z_view> const&, tools<z_view> const&);

}  // namespace skua::apps::strassen
