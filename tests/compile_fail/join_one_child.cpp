// SPDX-License-Identifier: MIT
// Expected: here.join: takes two children or more, each called as f(here)
#include "skua/skua.hpp"

void ask(skua::pool& pool) {
  pool.run([](auto& here) { here.join([](auto&) {}); });
}
