// SPDX-License-Identifier: MIT
// sph with oneTBB: a parallel_for over the array of leaves per pass. The affinity partitioner lives as long as the run,
// so that a leaf goes to the thread that had its position in the array last time.
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "apps/sph/problem.hpp"
#include "apps/tbb_partitioners.hpp"

namespace skua::apps::sph {
namespace {

template <std::size_t D, class Partitioner>
void run(problem<D>& problem, Partitioner& partitioner) {
  particles<D>& p = problem.now();
  problem.run([&](pass which) {
    auto const body = [&p, which](tbb::blocked_range<std::size_t> const& leaves) {
      for (std::size_t i = leaves.begin(); i < leaves.end(); ++i) interact(p, p.tree.leaf(i), which);
    };
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, p.tree.leaves().size()), body, partitioner);
  });
}

}  // namespace

template <std::size_t D>
void with_tbb(tbb_workers& workers, unsigned count, problem<D>& problem, tbb_partitioner partitioner) {
  workers.run(count, [&] { with_partitioner(partitioner, [&](auto& chosen) { run(problem, chosen); }); });
}

template void with_tbb(tbb_workers& workers, unsigned count, problem<2>& problem, tbb_partitioner partitioner);
template void with_tbb(tbb_workers& workers, unsigned count, problem<3>& problem, tbb_partitioner partitioner);

}  // namespace skua::apps::sph
