// SPDX-License-Identifier: MIT
// Expected: for_each: one bound is signed and the other is not; write for_each(here, std::size_t{0}, n, body)
#include <vector>

#include "skua/skua.hpp"

void visit(skua::pool& pool, std::vector<int> const& all) {
  pool.run([&](auto& here) { skua::for_each(here, -1, all.size(), [](auto) {}); });
}
