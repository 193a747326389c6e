// SPDX-License-Identifier: MIT
// oneTBB in pools_bench.
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>

#include "bench/pools.hpp"

namespace skua::bench::pools {

runtime tbb_arena(setting const& s) {
  auto const in = std::make_shared<tbb::task_arena>(static_cast<int>(s.workers));
  in->initialize();  // oneTBB counts the processors now, on a thread that no pool moves meanwhile
  return [in](loop& l) {
    in->execute([&l] {
      tbb::parallel_for(std::size_t{0}, l.size(), [&l](std::size_t i) { l.index(i); }, tbb::static_partitioner());
    });
  };
}

}  // namespace skua::bench::pools
