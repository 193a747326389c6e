// SPDX-License-Identifier: MIT
// Expected: parallel_for: of the bounds and the step one is signed and another is not; give all the same type
#include "skua/skua.hpp"

int main() {
  skua::parallel_for(-10, 10, 2U, [](auto) {});
}
