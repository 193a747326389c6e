// SPDX-License-Identifier: MIT
// Fibonacci numbers by the doubly recursive definition, every call a fork: nothing but the cost of fork and join.
// No cut-off: fib(n) forks fib(n + 1) - 1 times. The custom goes back to Cilk (Frigo, Leiserson, Randall 1998).
#pragma once

#include <cstdint>
#include <string>

#include "apps/tbb_workers.hpp"
#include "skua/program/fork_join.hpp"

namespace skua::apps::fib {

inline constexpr std::int64_t most_n = 93;  ///< the last whose value fits 64 bits

/// Work O(phi^n), span O(n). At most one hint word, which every child gets: to see what saying something costs.
template <fork_join Here, hint_word... Word>
std::uint64_t program(Here& here, int n, Word... word) {
  if (n < 2) return static_cast<std::uint64_t>(n);
  auto const [a, b] = here.join(
      word..., [=](Here& h) { return program(h, n - 1, word...); },  //
      word..., [=](Here& h) { return program(h, n - 2, word...); });
  return a + b;
}

/// The same number in n additions.
constexpr std::uint64_t answer(int n) noexcept {
  std::uint64_t a = 0;
  std::uint64_t b = 1;
  for (int i = 0; i < n; ++i) {
    std::uint64_t const next = a + b;
    a = b;
    b = next;
  }
  return a;
}
static_assert(answer(10) == 55 && answer(most_n) == 12'200'160'415'121'876'738U);

std::uint64_t with_openmp(unsigned workers, int n);
std::uint64_t with_tbb(tbb_workers& workers, unsigned count, int n);

}  // namespace skua::apps::fib
