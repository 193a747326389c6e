// SPDX-License-Identifier: MIT
// Expected: parallel_for: one bound is signed and the other is not; write parallel_for(std::size_t{0}, n, body)
#include <vector>

#include "skua/skua.hpp"

void visit(std::vector<int> const& all) {
  skua::parallel_for(-1, all.size(), [](auto) {});
}
