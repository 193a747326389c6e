// SPDX-License-Identifier: MIT
// The smallest user of an installed Skua: one installed header, one function of the installed library.
#include <cstdio>
#include <skua/policy/registry.hpp>
#include <skua/program/serial.hpp>

namespace {

long fib(auto& here, int n) {
  if (n < 2) return n;
  auto [a, b] = here.join([n](auto& h) { return fib(h, n - 1); }, [n](auto& h) { return fib(h, n - 2); });
  return a + b;
}

}  // namespace

int main() {
  skua::serial here;
  std::printf("fib(20) = %ld\n", fib(here, 20));
  return skua::policies().empty() ? 1 : 0;
}
