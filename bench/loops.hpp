// SPDX-License-Identifier: MIT
// Shared by the runners of loops_bench: the arrays, and how a runner times one loop over them and checks it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bench/harness.hpp"
#include "bench/runners.hpp"

namespace skua::bench::loops {

inline constexpr std::size_t few = 1000;         ///< floats: 4 kB, less than a first-level cache
inline constexpr std::size_t many = 10'000'000;  ///< elements of four bytes: 40 MB, more than a third-level cache

/// No compiler sees what happens to the array here, so it cannot run two loops over it as one.
template <class T>
void touch(std::vector<T> const& all) noexcept {
  asm volatile("" : : "r"(all.data()) : "memory");
}

/// Median microseconds of add(all), which adds one to each of n floats. The last answer is exact, and is checked.
template <class Add>
double us_of_adding(std::size_t n, Add const& add) {
  std::vector<float> all(n, 0);
  std::int64_t calls = 0;
  auto const counted = [&] {
    add(all);
    touch(all);
    ++calls;
  };
  warm_up(counted);
  double const us = us_per_call(n == few ? 100 : 1, counted);
  constexpr std::int64_t most_exact = std::int64_t{1} << 24;
  verify(calls <= most_exact, "more calls than a float counts");
  for (float x : all) verify(x == static_cast<float>(calls), "the floats after " + std::to_string(calls) + " loops");
  return us;
}

/// Median microseconds of sum(all), the sum of `many` integers, which fits. Every answer is checked.
template <class Sum>
double us_of_summing(Sum const& sum) {
  std::vector<std::uint32_t> all(many);
  std::uint32_t expected = 0;
  for (std::size_t i = 0; i < many; ++i) expected += all[i] = static_cast<std::uint32_t>(i % 97);
  auto const checked = [&] {
    verify(sum(std::as_const(all)) == expected, "the sum of the integers");
    touch(all);
  };
  warm_up(checked);
  return us_per_call(1, checked);
}

// Each runner adds these figures: "few", "many" and "sum".

/// Adds "few_each", "many_each" and "sum_each", too: the same by for_each and reduce instead of the conventional names.
void on_skua(figures& all, std::int64_t workers, std::string const& policy);
void on_openmp(figures& all, std::int64_t workers);
enum class partition : std::uint8_t { automatic, fixed };
void on_tbb(figures& all, std::int64_t workers, partition how);

}  // namespace skua::bench::loops
