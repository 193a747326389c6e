// SPDX-License-Identifier: MIT
// Expected: run_on: the function is called as f() or f(here)
#include "skua/skua.hpp"

void ask(skua::pool& pool) {
  skua::run_on(pool, [](int) {});
}
