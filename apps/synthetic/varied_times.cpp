// SPDX-License-Identifier: MIT
#include "apps/synthetic/varied_times.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "skua/parts/base/error.hpp"

namespace skua::apps::synthetic {
namespace {

constexpr std::uint32_t iterations_per_jump = 8;
constexpr std::uint32_t iterations_per_wave = 16;

}  // namespace

void require_variation(bool pattern_is_given, double share) {
  if (pattern_is_given && share == 0)
    throw usage_error(
        "--pattern is given; allowed: only beside --variation above 0: tasks' times do not differ otherwise");
}

varied_times::varied_times(std::vector<std::uint64_t> means, std::vector<double> position, double share,
                           variation_pattern pattern, std::uint64_t seed)
    : means_(std::move(means)), position_(std::move(position)), share_(share), pattern_(pattern), dice_(seed) {}

void varied_times::write(std::uint32_t i, std::span<std::uint64_t> times) {
  if (share_ == 0) {
    std::ranges::copy(means_, times.begin());
    return;
  }
  draw(i);
  for (std::size_t t = 0; t < times.size(); ++t)
    times[t] = static_cast<std::uint64_t>(static_cast<double>(means_[t]) * (1 + share_ * factor(i, t)));
}

void varied_times::draw(std::uint32_t i) {
  if (pattern_ == variation_pattern::drift) return;
  if (pattern_ == variation_pattern::jump && i % iterations_per_jump != 0) return;
  if (pattern_ == variation_pattern::oscillate && i > 1) return;
  std::vector<double>& drawn = drawn_[pattern_ == variation_pattern::oscillate ? i % 2 : 0];
  drawn.resize(means_.size());
  for (double& d : drawn) d = 2 * dice_.unit() - 1;
}

double varied_times::factor(std::uint32_t i, std::size_t t) const {
  if (pattern_ == variation_pattern::drift)
    return std::sin(2 * std::numbers::pi * (position_[t] + static_cast<double>(i) / iterations_per_wave));
  return drawn_[pattern_ == variation_pattern::oscillate ? i % 2 : 0][t];
}

}  // namespace skua::apps::synthetic
