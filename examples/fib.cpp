// SPDX-License-Identifier: MIT
// A whole program. The environment chooses the scheduler: SKUA_POLICY=hierarchical SKUA_WORKERS=4 ./example_fib
#include <cstdio>
#include <string>

#include "skua/skua.hpp"

long fib(auto& here, int n) {
  if (n < 2) return n;
  auto [a, b] = here.join([n](auto& h) { return fib(h, n - 1); }, [n](auto& h) { return fib(h, n - 2); });
  return a + b;
}

int main() try {
  skua::pool pool;  // throws usage_error if a variable is invalid
  long const result = pool.run([](auto& here) { return fib(here, 32); });
  std::printf("fib(32) = %ld, scheduled by %s on %u workers\n", result, std::string(pool.policy()).c_str(),
              pool.num_workers());
  return result == 2178309 ? 0 : 1;
} catch (skua::usage_error const& wrong) {
  std::fprintf(stderr, "example_fib: %s\n", wrong.what());
  return 2;
}
