// SPDX-License-Identifier: MIT
#include "apps/synthetic/loads.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "apps/checks.hpp"
#include "apps/hartree_fock/screening.hpp"
#include "skua/parts/base/dice.hpp"

namespace skua::apps::synthetic {
namespace {

constexpr double variation_of_table3 = 1.94;
constexpr double longest_mean_ns = 1e12;

std::uint64_t rounded(double ns) noexcept { return static_cast<std::uint64_t>(std::llround(ns)); }

/// A normally distributed number (Box and Muller 1958).
double normal(runtime::dice& dice) noexcept {
  double const radius = std::sqrt(-2 * std::log(1 - dice.unit()));
  return radius * std::cos(2 * std::numbers::pi * dice.unit());
}

double lognormal(runtime::dice& dice, double mean) noexcept {
  double const variance = std::log(1 + variation_of_table3 * variation_of_table3);
  return mean * std::exp(std::sqrt(variance) * normal(dice) - variance / 2);
}

/// Element k of n evenly spaced quantiles of `sorted`.
std::uint64_t quantile(std::vector<std::uint64_t> const& sorted, std::uint64_t k, std::uint64_t n) noexcept {
  return sorted[(2 * k + 1) * sorted.size() / (2 * n)];
}

std::vector<std::uint64_t> of_table3(distribution const& from, std::uint32_t n, runtime::dice& dice) {
  std::vector<std::uint64_t> integrals = hartree_fock::task_integrals(256, 40);
  double const mean = static_cast<double>(std::accumulate(integrals.begin(), integrals.end(), std::uint64_t{0})) /
                      static_cast<double>(integrals.size());
  std::ranges::sort(integrals);
  std::vector<std::uint64_t> all(n);
  for (std::uint32_t k = 0; k < n; ++k) {
    double const cost = static_cast<double>(quantile(integrals, k, n)) / mean + from.floor;
    all[k] = rounded(from.mean_ns * cost / (1 + from.floor));
  }
  for (std::uint32_t k = n; k > 1; --k) std::swap(all[k - 1], all[dice.below(k)]);
  return all;
}

}  // namespace

std::vector<std::uint64_t> loads(distribution const& from, std::uint32_t n, std::uint64_t seed) {
  require_between("synthetic-loads: the mean in ns", from.mean_ns, 0, longest_mean_ns);
  require_between("synthetic-loads: the floor", from.floor, 0, 1000);
  runtime::dice dice(seed);
  std::vector<std::uint64_t> all;
  switch (from.of) {
    case shape::equal: return std::vector<std::uint64_t>(n, rounded(from.mean_ns));
    case shape::table3: return of_table3(from, n, dice);
    case shape::uniform:
      for (std::uint32_t k = 0; k < n; ++k) all.push_back(rounded(2 * from.mean_ns * dice.unit()));
      return all;
    case shape::lognormal:
      for (std::uint32_t k = 0; k < n; ++k) all.push_back(rounded(lognormal(dice, from.mean_ns)));
      return all;
  }
  return all;
}

}  // namespace skua::apps::synthetic
