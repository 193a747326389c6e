// SPDX-License-Identifier: MIT
// Expected: scope.spawn: a child is called as f(here)
#include "skua/skua.hpp"

void ask(skua::pool& pool) {
  pool.run([](auto& here) { here.scope([](auto& s) { s.spawn([] {}); }); });
}
