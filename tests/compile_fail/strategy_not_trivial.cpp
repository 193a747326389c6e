// SPDX-License-Identifier: MIT
// Expected: strategy: not trivially copyable; thieves copy it as bytes
#include <vector>

#include "skua/skua.hpp"

struct wrong {
  std::vector<double> bounds;
  [[nodiscard]] double key(skua::strategies::requester const&) const { return bounds[0]; }
};

void ask(skua::pool& pool) {
  pool.run([](auto& here) { here.finish([](auto& f) { f.spawn(wrong{}, [](auto&) {}); }); });
}
