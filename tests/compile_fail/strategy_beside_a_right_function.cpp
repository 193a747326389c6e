// SPDX-License-Identifier: MIT
// Expected: strategy: expected bool is_dead() const
#include "skua/skua.hpp"

struct wrong {
  double bound = 0;
  [[nodiscard]] double key(skua::strategies::requester const&) const { return bound; }
  bool is_dead() { return bound < 0; }
};

void ask(skua::pool& pool) {
  pool.run([](auto& here) { here.finish([](auto& f) { f.spawn(wrong{}, [](auto&) {}); }); });
}
