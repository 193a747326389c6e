// SPDX-License-Identifier: MIT
// Expected: parallel_reduce: fold is called as fold(piece, value) and returns a value
#include "skua/skua.hpp"

int main() {
  static_cast<void>(skua::parallel_reduce(
      skua::blocked_range<int>(0, 10), 0, [](int, int) { return 0; }, [](int a, int b) { return a + b; }));
}
