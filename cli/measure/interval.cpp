// SPDX-License-Identifier: MIT
#include "cli/measure/interval.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace skua::cli {
namespace {

/// Between the two values that are nearest to this share of the way from the least to the largest.
double quantile(std::vector<double> const& sorted, double share) {
  double const at = share * static_cast<double>(sorted.size() - 1);
  auto const below = static_cast<std::size_t>(at);
  std::size_t const above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], at - std::floor(at));
}

}  // namespace

interval spread_of(std::span<double const> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  bool const all = sorted.size() < rounds_for_middle_half;
  return {.low = all ? sorted.front() : quantile(sorted, 0.25),
          .middle = quantile(sorted, 0.5),
          .high = all ? sorted.back() : quantile(sorted, 0.75)};
}

bool are_apart(interval const& a, interval const& b) noexcept { return a.high < b.low || b.high < a.low; }

interval ratio_of(interval const& above, interval const& below) noexcept {
  return {above.low / below.high, above.middle / below.middle, above.high / below.low};
}

interval scaled(interval const& all, double by) noexcept { return {all.low * by, all.middle * by, all.high * by}; }

}  // namespace skua::cli
