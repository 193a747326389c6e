// SPDX-License-Identifier: MIT
// Turns the word on the command line into oneTBB's object. Only for oneTBB twins, because it includes oneTBB.
#pragma once

#include <tbb/partitioner.h>

#include "apps/loop_styles.hpp"

namespace skua::apps {

/// Calls f(partitioner) with one object for all loops of a run, so that the affinity
/// partitioner remembers where they ran.
template <class F>
void with_partitioner(tbb_partitioner which, F&& f) {
  auto const call = [&f](auto&& partitioner) { f(partitioner); };
  switch (which) {
    case tbb_partitioner::of_auto: return call(tbb::auto_partitioner{});
    case tbb_partitioner::of_static: return call(tbb::static_partitioner{});
    case tbb_partitioner::of_affinity: return call(tbb::affinity_partitioner{});
    case tbb_partitioner::of_simple: return call(tbb::simple_partitioner{});
  }
}

}  // namespace skua::apps
