// SPDX-License-Identifier: MIT
// The runners of loops_bench on oneTBB.
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/partitioner.h>

#include <functional>

#include "apps/tbb_workers.hpp"
#include "bench/loops.hpp"

namespace skua::bench::loops {
namespace {

template <class Partitioner>
void measure(figures& all, Partitioner const& how) {
  auto const add = [&how](auto& floats) {
    tbb::parallel_for(std::size_t{0}, floats.size(), [&floats](std::size_t i) { floats[i] += 1; }, how);
  };
  auto const sum_of = [&how](auto const& integers) {
    return tbb::parallel_reduce(
        tbb::blocked_range<std::size_t>(0, integers.size()), std::uint32_t{0},
        [&integers](auto const& piece, std::uint32_t sum) {
          for (std::size_t i = piece.begin(); i != piece.end(); ++i) sum += integers[i];
          return sum;
        },
        std::plus<>(), how);
  };
  all.emplace_back("few", us_of_adding(few, add));
  all.emplace_back("many", us_of_adding(many, add));
  all.emplace_back("sum", us_of_summing(sum_of));
}

}  // namespace

void on_tbb(figures& all, std::int64_t workers, partition how) {
  apps::tbb_workers tbb;
  tbb.run(static_cast<unsigned>(workers), [&] {
    if (how == partition::automatic) {
      measure(all, tbb::auto_partitioner());
    } else {
      measure(all, tbb::static_partitioner());
    }
  });
}

}  // namespace skua::bench::loops
