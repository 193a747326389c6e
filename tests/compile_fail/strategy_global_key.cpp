// SPDX-License-Identifier: MIT
// Expected: strategy: expected double global_key() const
#include "skua/skua.hpp"

struct wrong {
  double bound = 0;
  double global_key(skua::strategies::requester const&) const { return bound; }
  bool is_dead() const { return false; }
};

void ask(skua::pool& pool) {
  pool.run([](auto& here) { here.finish([](auto& f) { f.spawn(wrong{}, [](auto&) {}); }); });
}
