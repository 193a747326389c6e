// SPDX-License-Identifier: MIT
// A plugin that uses Skua: the default pool lives in the plugin, or in the library that comes and goes with it.
#include <atomic>

#include "skua/skua.hpp"

extern "C" int plugin_sum(int n) {
  std::atomic<int> sum{0};
  skua::parallel_for(0, n, [&](int i) { sum.fetch_add(i, std::memory_order_relaxed); });
  return sum.load();
}

/// Nobody waits for these n additions.
extern "C" void plugin_enqueue(std::atomic<int>* sum, int n) {
  for (int i = 0; i < n; ++i) skua::enqueue([sum, i] { *sum += i; });
}
