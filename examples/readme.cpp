// SPDX-License-Identifier: MIT
// The first program in README.md.
#include <skua/skua.hpp>

long fib(auto& here, int n) {
  if (n < 2) return n;
  auto [a, b] = here.join([n](auto& h) { return fib(h, n - 1); }, [n](auto& h) { return fib(h, n - 2); });
  return a + b;
}

int main() {
  skua::pool pool;
  return pool.run([](auto& h) { return fib(h, 35); }) == 9227465 ? 0 : 1;
}
