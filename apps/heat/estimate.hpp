// SPDX-License-Identifier: MIT
// Work hints that are wrong by up to a factor of 1 +- alpha, to see how a scheduler copes with them. [adws-sc19 5.4]
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "skua/parts/base/dice.hpp"

namespace skua::apps::heat {

enum class error_kind : std::uint8_t {
  deterministic,  ///< 1 - alpha : 1 - alpha/2 : 1 + alpha/2 : 1 + alpha, in every group of every iteration
  random,         ///< 1 + r alpha, r uniform in [-1, 1], drawn anew for every task of every iteration
};

/// The error of one group's hints. It depends on the seed and on the group's path from the root, not on who asks when,
/// so the same seed gives the same hints under every policy.
class estimate {
 public:
  /// The hints are right.
  constexpr estimate() = default;
  /// 0 <= alpha <= 1.
  constexpr estimate(double alpha, error_kind kind, std::uint64_t seed) noexcept
      : alpha_(alpha), kind_(kind), stream_(seed) {}

  /// The factors for the works of the four children.
  [[nodiscard]] constexpr std::array<double, 4> factors() const noexcept {
    if (alpha_ == 0) return {1, 1, 1, 1};
    if (kind_ == error_kind::deterministic) return {1 - alpha_, 1 - alpha_ / 2, 1 + alpha_ / 2, 1 + alpha_};
    std::array<double, 4> drawn{};
    runtime::dice random(stream_);
    for (double& factor : drawn) factor = 1 + (2 * random.unit() - 1) * alpha_;
    return drawn;
  }
  /// The estimate for a group below: for iteration i of the program, or for child i of a group.
  [[nodiscard]] constexpr estimate below(std::size_t i) const noexcept {
    if (alpha_ == 0) return *this;
    return {alpha_, kind_, runtime::dice(stream_ ^ (0x5851'f42d'4c95'7f2dULL * (i + 1))).next()};
  }

 private:
  double alpha_ = 0;
  error_kind kind_ = error_kind::deterministic;
  std::uint64_t stream_ = 0;
};

}  // namespace skua::apps::heat
