// SPDX-License-Identifier: MIT
// cg with oneTBB: a parallel_for over the blocks of rows per sweep, with the partitioner that the user chose.
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "apps/cg/problem.hpp"
#include "apps/tbb_partitioners.hpp"

namespace skua::apps::cg {
namespace {

template <class Sweep, class Partitioner>
sums by_loop(problem& p, Sweep const& sweep, Partitioner& partitioner) {
  std::vector<sums>& partial = p.partial(0);
  auto const body = [&](tbb::blocked_range<std::size_t> const& some) {
    for (std::size_t b = some.begin(); b != some.end(); ++b) partial[b] = sweep.run(p.rows_of({b, b + 1}));
  };
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, p.all().end, p.grain(sweep)), body, partitioner);
  return tree_sum(p.all(), [&](std::size_t b) { return partial[b]; });
}

}  // namespace

void with_tbb(tbb_workers& workers, unsigned count, problem& p, tbb_partitioner partitioner) {
  workers.run(count, [&] {
    with_partitioner(partitioner, [&](auto& chosen) {
      p.answer(solve(p, [&](auto const& sweep) { return by_loop(p, sweep, chosen); }));
    });
  });
}

}  // namespace skua::apps::cg
