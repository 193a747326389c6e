// SPDX-License-Identifier: MIT
// OpenMP in pools_bench.
#include "bench/pools.hpp"

namespace skua::bench::pools {

runtime openmp_team(setting const& s) {
  return [workers = static_cast<int>(s.workers)](loop& l) {
    auto const n = static_cast<std::int64_t>(l.size());
#pragma omp parallel for schedule(static) num_threads(workers)
    for (std::int64_t i = 0; i < n; ++i) l.index(static_cast<std::size_t>(i));
  };
}

}  // namespace skua::bench::pools
