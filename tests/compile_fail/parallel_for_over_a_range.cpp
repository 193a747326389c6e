// SPDX-License-Identifier: MIT
// Expected: parallel_for: over a range, body is called as body(piece)
#include "skua/skua.hpp"

int main() {
  skua::parallel_for(skua::blocked_range<int>(0, 10), [](int) {});
}
