// SPDX-License-Identifier: MIT
// Two tasks write one variable, and nothing orders them: ThreadSanitizer must say so, although only this program is compiled for it.
// What the library announces is not to hide it.
#include <atomic>
#include <cstdio>

#include "skua/skua.hpp"

int main() {
  int both = 0;
  skua::pool pool(2);
  // Often, because ThreadSanitizer may miss two accesses at the same instant.
  for (int round = 0; round < 100; ++round) {
    std::atomic<int> came{0};
    // Both begin before either writes, so they run on two workers. Relaxed: the race is to stay one.
    auto const write = [&](auto&) {
      came.fetch_add(1, std::memory_order_relaxed);
      while (came.load(std::memory_order_relaxed) < 2) {}
      ++both;
    };
    pool.run([&](auto& here) { here.join(write, write); });
  }
  std::printf("wrote %d\n", both);
}
