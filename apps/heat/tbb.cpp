// SPDX-License-Identifier: MIT
// heat with oneTBB: a parallel_for over rows per iteration, with the partitioner that was asked for.
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>

#include "apps/heat/problem.hpp"

namespace skua::apps::heat {
namespace {

template <class Partitioner>
void iterate(problem& p, cutoff const& end, Partitioner&& partitioner) {
  for (std::size_t i = 0; i < p.iterations(); ++i) {
    rectangle const r = p.whole(i);
    auto const body = [&](tbb::blocked_range<std::size_t> const& rows) {
      rectangle band = r;
      band.from += rows.begin() * r.stride;
      band.to += rows.begin() * r.stride;
      band.rows = rows.size();
      end.sweep(band);
    };
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, r.rows, end.rows), body, partitioner);
  }
}

}  // namespace

void with_tbb(tbb_workers& workers, unsigned count, problem& p, cutoff const& end, tbb_partitioner partitioner) {
  workers.run(count, [&] {
    switch (partitioner) {
      case tbb_partitioner::of_auto: return iterate(p, end, tbb::auto_partitioner{});
      case tbb_partitioner::of_static: return iterate(p, end, tbb::static_partitioner{});
      case tbb_partitioner::of_affinity: return iterate(p, end, tbb::affinity_partitioner{});
      case tbb_partitioner::of_simple: return iterate(p, end, tbb::simple_partitioner{});
    }
  });
}

}  // namespace skua::apps::heat
