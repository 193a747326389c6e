// SPDX-License-Identifier: MIT
// The smallest program with many forks, for tests that need some work to be about.
#pragma once

#include "skua/skua.hpp"

namespace skua { inline namespace v0 { namespace testing {

inline long fib(fork_join auto& here, int n) {
  if (n < 2) return n;
  auto [a, b] = here.join([n](auto& h) { return fib(h, n - 1); }, [n](auto& h) { return fib(h, n - 2); });
  return a + b;
}

}}}  // namespace skua::v0::testing
