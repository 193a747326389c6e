// SPDX-License-Identifier: MIT
// Expected: strategy: expected void spawned(skua::worker_id, std::uint64_t)
#include "skua/skua.hpp"

struct wrong {
  double bound = 0;
  [[nodiscard]] double key(skua::strategies::requester const&) const { return bound; }
  void spawned(skua::worker_id) { bound = 1; }
};

void ask(skua::pool& pool) {
  pool.run([](auto& here) { here.finish([](auto& f) { f.spawn(wrong{}, [](auto&) {}); }); });
}
