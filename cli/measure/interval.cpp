// SPDX-License-Identifier: MIT
#include "cli/measure/interval.hpp"

#include <algorithm>
#include <vector>

#include "apps/timing.hpp"

namespace skua::cli {
interval spread_of(std::span<double const> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  bool const all = sorted.size() < rounds_for_middle_half;
  return {.low = all ? sorted.front() : apps::quantile(sorted, 0.25),
          .middle = apps::quantile(sorted, 0.5),
          .high = all ? sorted.back() : apps::quantile(sorted, 0.75)};
}

bool are_apart(interval const& a, interval const& b) noexcept { return a.high < b.low || b.high < a.low; }

interval ratio_of(interval const& above, interval const& below) noexcept {
  return {above.low / below.high, above.middle / below.middle, above.high / below.low};
}

interval scaled(interval const& all, double by) noexcept { return {all.low * by, all.middle * by, all.high * by}; }

}  // namespace skua::cli
