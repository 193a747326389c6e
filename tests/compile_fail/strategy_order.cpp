// SPDX-License-Identifier: MIT
// Expected: strategy: expected bool prioritize(S const&, skua::strategies::requester const&) const
#include "skua/skua.hpp"

struct wrong {
  double bound = 0;
  [[nodiscard]] bool prioritize(wrong const& other) const { return bound < other.bound; }
};

void ask(skua::pool& pool) {
  pool.run([](auto& here) { here.finish([](auto& f) { f.spawn(wrong{}, [](auto&) {}); }); });
}
