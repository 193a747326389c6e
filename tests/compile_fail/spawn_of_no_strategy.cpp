// SPDX-License-Identifier: MIT
// Expected: spawn: takes [a hint], [a strategy] and a task, in this order
#include "skua/skua.hpp"

struct wrong {};

void ask(skua::pool& pool) {
  pool.run([](auto& here) { here.finish([](auto& f) { f.spawn(wrong{}, [](auto&) {}); }); });
}
