// SPDX-License-Identifier: MIT
// Expected: run: the function is called as f() or f(here)
#include "skua/skua.hpp"

void ask(skua::pool& pool) {
  pool.open_region("adws").run([](int) {});
}
