// SPDX-License-Identifier: MIT
// Prefix sums with oneTBB's parallel_scan, in pieces of at least a block.
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_scan.h>

#include <functional>

#include "apps/prefix_sum/problem.hpp"

namespace skua::apps::prefix_sum {
namespace {

void scan_in_parallel(blocked_array const& array) {
  auto const piece = [&array](tbb::blocked_range<std::size_t> const& r, element before, bool is_final) {
    auto const part = array.data.subspan(r.begin(), r.size());
    if (!is_final) return before + sum_of(part);
    scan(part, before);
    return part.back();
  };
  tbb::parallel_scan(tbb::blocked_range<std::size_t>(0, array.data.size(), array.block), element{0}, piece,
                     std::plus<>{});
}

}  // namespace

void with_tbb(tbb_workers& workers, unsigned count, std::span<blocked_array const> arrays) {
  workers.run(count, [&] {
    tbb::parallel_for(std::size_t{0}, arrays.size(), [&](std::size_t a) { scan_in_parallel(arrays[a]); });
  });
}

}  // namespace skua::apps::prefix_sum
