// SPDX-License-Identifier: MIT
// Which worker ran which leaf, iteration by iteration (docs/task-maps.md). SKUA_POLICY=adws ./example_leaf_record
#include <cstdio>
#include <vector>

#include "skua/skua.hpp"

constexpr int iterations = 5;
constexpr std::size_t leaves = 64;

/// An iteration: every cell is a leaf.
void step(skua::fork_join auto& here, std::vector<double>& cells) {
  here.join_each(cells, [](auto& h, double& c) { h.leaf(skua::writes{&c, sizeof c}, [&] { c += 1; }); });
}

int main() {
  std::vector<double> cells(leaves);
  std::size_t seen = 0;

  skua::pool pool;
  skua::leaf_record record(pool);
  pool.run([&](auto& here) {
    for (int i = 0; i < iterations; ++i) {
      step(here, cells);  // its leaves say what they write: h.leaf(skua::writes{p, bytes}, kernel)
      for (skua::leaf_rows const& of_worker : record.take()) {
        for (skua::footprint const& leaf : of_worker.ran) {
          if (leaf.written >= cells.data() && leaf.bytes_written == sizeof(double)) ++seen;
        }
      }
    }
  });

  std::printf("%zu leaves of %d iterations were seen\n", seen, iterations);
  return seen == leaves * iterations ? 0 : 1;
}
