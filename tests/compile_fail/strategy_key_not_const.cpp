// SPDX-License-Identifier: MIT
// Expected: strategy: expected double key(skua::strategies::requester const&) const
#include "skua/skua.hpp"

struct wrong {
  double bound = 0;
  double key(skua::strategies::requester const&) { return bound; }
};

void ask(skua::pool& pool) {
  pool.run([](auto& here) { here.finish([](auto& f) { f.spawn(skua::at{skua::anywhere}, wrong{}, [](auto&) {}); }); });
}
