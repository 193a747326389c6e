// SPDX-License-Identifier: MIT
// Expected: parallel_invoke: every function is called as f() or f(here)
#include "skua/skua.hpp"

int main() {
  skua::parallel_invoke([] {}, [](int) {});
}
