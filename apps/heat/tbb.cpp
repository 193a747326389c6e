// SPDX-License-Identifier: MIT
// heat with oneTBB: a parallel_for over rows per iteration, with the partitioner that the user chose.
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "apps/heat/problem.hpp"
#include "apps/tbb_partitioners.hpp"

namespace skua::apps::heat {
namespace {

template <class Partitioner>
void iterate(problem& p, cutoff const& end, Partitioner& partitioner) {
  for (std::size_t i = 0; i < p.iterations(); ++i) {
    rectangle const r = p.whole(i);
    auto const body = [&](tbb::blocked_range<std::size_t> const& rows) {
      end.sweep(band(r, rows.begin(), rows.end()));
    };
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, r.rows, end.rows), body, partitioner);
  }
}

}  // namespace

void with_tbb(tbb_workers& workers, unsigned count, problem& p, cutoff const& end, tbb_partitioner partitioner) {
  workers.run(count, [&] { with_partitioner(partitioner, [&](auto& chosen) { iterate(p, end, chosen); }); });
}

}  // namespace skua::apps::heat
