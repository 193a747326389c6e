// SPDX-License-Identifier: MIT
// Expected: strategy: too large; it has 40 bytes at most
#include "skua/skua.hpp"

struct wrong {
  double bounds[6] = {};
  [[nodiscard]] double key(skua::strategies::requester const&) const { return bounds[0]; }
};

void ask(skua::pool& pool) {
  pool.run([](auto& here) { here.finish([](auto& f) { f.spawn(wrong{}, [](auto&) {}); }); });
}
