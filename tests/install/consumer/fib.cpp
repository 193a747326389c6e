// SPDX-License-Identifier: MIT
// The smallest user of an installed Skua.
#include <cstdio>
#include <skua/skua.hpp>

namespace {

long fib(auto& here, int n) {
  if (n < 2) return n;
  auto [a, b] = here.join([n](auto& h) { return fib(h, n - 1); }, [n](auto& h) { return fib(h, n - 2); });
  return a + b;
}

}  // namespace

int main() {
  skua::pool pool;
  long const answer = pool.run([](auto& h) { return fib(h, 20); });
  std::printf("fib(20) = %ld\n", answer);
  return answer == 6765 ? 0 : 1;
}
