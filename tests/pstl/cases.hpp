// SPDX-License-Identifier: MIT
// What the tests of the standard's parallel algorithms share: sizes, seeded data, pools.
#pragma once

#include "skua/pstl.hpp"
//
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <execution>
#include <random>
#include <vector>

#include "skua/skua.hpp"

namespace skua { inline namespace v0 { namespace testing {

using ints = std::vector<int>;

inline ints drawn(std::size_t n, int most, std::uint32_t seed) {
  std::mt19937 dice(seed);
  std::uniform_int_distribution<int> draw(0, most);
  ints all(n);
  for (int& one : all) one = draw(dice);
  return all;
}

/// Calls check(par, n, seed) in pools of 1, 2 and 4 workers and in a thread that is no worker, for each size.
template <class Check>
void in_all_cases(Check const& check) {
  auto const sizes = [&check](char const* where) {
    for (std::size_t const n : {0U, 1U, 2U, 17U, 100U, 5003U, 100'003U}) {
      auto const seed = static_cast<std::uint32_t>(7 * n + 1);
      SCOPED_TRACE(::testing::Message() << where << ", n = " << n << ", seed = " << seed);
      check(std::execution::par, n, seed);
    }
  };
  sizes("outside");
  for (std::uint32_t const workers : {1U, 2U, 4U}) {
    SCOPED_TRACE(::testing::Message() << workers << " workers");
    pool some({.workers = workers});
    some.run([&](auto&) { sizes("inside"); });
  }
}

}}}  // namespace skua::v0::testing
