// SPDX-License-Identifier: MIT
// The runners of regions_bench on oneTBB.
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/partitioner.h>
#include <tbb/task_group.h>

#include "apps/tbb_workers.hpp"
#include "bench/regions.hpp"

namespace skua::bench::regions {
namespace {

struct face {
  using task_group = tbb::task_group;
  template <class Index, class Body>
  static void parallel_for(Index first, Index last, Body const& body) {
    tbb::parallel_for(first, last, body);
  }
  template <class F, class G>
  static void parallel_invoke(F const& f, G const& g) {
    tbb::parallel_invoke(f, g);
  }
};

template <class Partitioner>
void loops(figures& all, setting const& s, Partitioner const& how) {
  for (std::int64_t us : lengths_us) {
    loop l(s, us);
    all.emplace_back(key_of("loop", us), l.us_per_region([&] {
      tbb::parallel_for(std::size_t{0}, l.size(), [&l](std::size_t i) { l.index(i); }, how);
    }));
  }
}

}  // namespace

void on_tbb(figures& all, setting const& s, partition how) {
  apps::tbb_workers tbb;
  tbb.run(static_cast<unsigned>(s.workers), [&] {
    if (how == partition::automatic) {
      loops(all, s, tbb::auto_partitioner());
    } else {
      loops(all, s, tbb::static_partitioner());
    }
  });
}

void from_main_on_tbb(figures& all, setting const& s) {
  tbb::global_control const allowed(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(s.workers));
  from_main<face>(all);
}

}  // namespace skua::bench::regions
