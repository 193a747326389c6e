// SPDX-License-Identifier: MIT
// An array whose pages are near the tasks that use them (docs/memory.md). SKUA_POLICY=numa-ws ./example_memory
#include <algorithm>
#include <cstdio>
#include <vector>

#include "skua/skua.hpp"

int main() {
  std::size_t const n = 100'000;
  skua::pool pool;
  skua::page_array<double> grid(n);  // zero, and no page touched yet
  // One share per place, in proportion to its workers.
  std::vector<skua::memory::share> const shares = shares_of(grid, pool.layout());
  skua::distribution const how = distribute(grid, shares, pool.layout());  // how.why: one clause for the user

  auto const home = [](skua::memory::share const& s) { return skua::at{s.place}; };
  pool.run([&](auto& here) {
    here.join_each(shares, home, [&](auto&, skua::memory::share const& s) {
      for (double& x : grid.elements().subspan(s.first, s.count)) x = 1;
    });
  });

  std::printf("%zu shares: %s\n", shares.size(), how.why.c_str());
  return std::ranges::count(grid, 1.0) == std::ptrdiff_t(n) ? 0 : 1;
}
