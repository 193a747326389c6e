// SPDX-License-Identifier: MIT
// A plugin that uses Skua: the default pool lives in the plugin.
#include <atomic>

#include "skua/skua.hpp"

extern "C" int plugin_sum(int n) {
  std::atomic<int> sum{0};
  skua::parallel_for(0, n, [&](int i) { sum.fetch_add(i, std::memory_order_relaxed); });
  return sum.load();
}
