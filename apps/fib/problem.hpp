// SPDX-License-Identifier: MIT
// Fibonacci numbers by the doubly recursive definition, every call a fork: measures nothing but fork and join.
// No cut-off: fib(n) forks fib(n + 1) - 1 times. The custom goes back to Cilk (Frigo, Leiserson, Randall 1998).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "apps/tbb_workers.hpp"
#include "skua/program/fork_join.hpp"

namespace skua::apps::fib {

inline constexpr std::int64_t most_n = 93;  ///< the last n whose value fits 64 bits

/// The hints of the two children: none; their work, 2 to 1 instead of 1.6 to 1; or place 0 for both.
enum class said : std::uint8_t { nothing, work, place };
inline constexpr std::array<std::string_view, 3> said_words{"none", "work", "place"};

/// Work O(phi^n), span O(n).
template <said What = said::nothing, fork_join Here>
std::uint64_t program(Here& here, int n) {
  if (n < 2) return static_cast<std::uint64_t>(n);
  auto f = [n](Here& h) { return program<What>(h, n - 1); };
  auto g = [n](Here& h) { return program<What>(h, n - 2); };
  auto const [a, b] = [&] {
    if constexpr (What == said::work) {
      return here.join(work{2}, std::move(f), work{1}, std::move(g));
    } else if constexpr (What == said::place) {
      return here.join(at{place_id{0}}, std::move(f), at{place_id{0}}, std::move(g));
    } else {
      return here.join(std::move(f), std::move(g));
    }
  }();
  return a + b;
}

template <fork_join Here>
std::uint64_t program(Here& here, int n, said what) {
  switch (what) {
    case said::work: return program<said::work>(here, n);
    case said::place: return program<said::place>(here, n);
    case said::nothing: break;
  }
  return program(here, n);
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
