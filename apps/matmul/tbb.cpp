// SPDX-License-Identifier: MIT
// The matrix product with oneTBB: each group of four products is one parallel_invoke.
#include <tbb/parallel_invoke.h>

#include "apps/matmul/problem.hpp"

namespace skua::apps::matmul {
namespace {

void multiply(block const& p, cutoff const& end) {
  if (p.empty()) return;
  if (end.reached(p)) return end.leaf(p);
  for (block const& half : halves(p, end)) {
    if (half.empty()) continue;
    std::array<block, 4> const q = quarters(half, end);
    tbb::parallel_invoke([&] { multiply(q[0], end); }, [&] { multiply(q[1], end); },  //
                         [&] { multiply(q[2], end); }, [&] { multiply(q[3], end); });
  }
}

}  // namespace

void with_tbb(tbb_workers& workers, unsigned count, block const& p, cutoff const& end) {
  workers.run(count, [&] { multiply(p, end); });
}

}  // namespace skua::apps::matmul
