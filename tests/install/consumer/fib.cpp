// SPDX-License-Identifier: MIT
// The smallest user of an installed Skua.
#include "fib.hpp"

#include <cstdio>
#include <skua/skua.hpp>

namespace {

long fib(auto& here, int n) {
  if (n < 2) return n;
  auto [a, b] = here.join([n](auto& h) { return fib(h, n - 1); }, [n](auto& h) { return fib(h, n - 2); });
  return a + b;
}

}  // namespace

long user::fib_on(skua::pool& workers, int n) {
  return workers.run([n](auto& h) { return fib(h, n); });
}

int main() {
  skua::pool pool;
  long const answer = user::fib_on(pool, 20);
  std::printf("fib(20) = %ld\n", answer);
  return answer == 6765 ? 0 : 1;
}
