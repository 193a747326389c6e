// SPDX-License-Identifier: MIT
// The spread of rounds: an interval around the median. Two results differ if their intervals lie apart; otherwise the one is
// within the spread of the other, and more rounds are needed to tell.
#pragma once

#include <cstddef>
#include <span>

namespace skua::cli {

/// low <= middle <= high
struct interval {
  double low = 0;
  double middle = 0;
  double high = 0;
};

/// From so many rounds on the spread is the middle half of them, which outliers do not widen. With fewer it is all of
/// them: the middle halves of two runs of the same program would lie apart by chance too often (of 5 rounds each, in a
/// fifth of all cases; of 9, in about a twentieth).
inline constexpr std::size_t rounds_for_middle_half = 9;

/// The median of `values` and their spread. At least one value.
[[nodiscard]] interval spread_of(std::span<double const> values);

/// Whether they lie apart: no value is in both.
[[nodiscard]] bool are_apart(interval const& a, interval const& b) noexcept;

/// Of positive numbers. It contains 1 exactly if the two are not apart.
[[nodiscard]] interval ratio_of(interval const& above, interval const& below) noexcept;
[[nodiscard]] interval scaled(interval const& all, double by) noexcept;

}  // namespace skua::cli
