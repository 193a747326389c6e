// SPDX-License-Identifier: MIT
// Iterations, for `replay` and `adws`: one task forks the same groups in each iteration.
// SKUA_POLICY=replay ./example_hints_iteration
#include <cstdio>
#include <vector>

#include "skua/skua.hpp"

int main() {
  skua::pool pool;
  std::vector<std::vector<double>> blocks(64, std::vector<double>(4096, 0.0));
  // All iterations in one `run`: each group that this task forks is an iteration. Each block stays on the same worker.
  pool.run([&](auto& here) {
    for (int iteration = 0; iteration < 20; ++iteration) {
      here.join_each(blocks, [](auto&, std::vector<double>& block) {
        for (double& x : block) x += 1;
      });
    }
  });
  for (auto const& block : blocks) {
    for (double x : block) {
      if (x != 20) return 1;
    }
  }
  std::printf("20 iterations, scheduled by %s\n", std::string(pool.policy()).c_str());
  return 0;
}
