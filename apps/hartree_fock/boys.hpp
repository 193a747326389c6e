// SPDX-License-Identifier: MIT
// A table for the Boys function F0(t). Its derivative is -F1, that of F1 is -F2, and so on: six terms of Taylor's series
// around the nearest of 449 points are right to 2e-13. The table (21 KiB) fits into the first-level cache; from t = 28
// on, F0 is sqrt(pi / t) / 2.
#pragma once

#include <array>
#include <cstddef>

namespace skua::apps::hartree_fock {

struct boys_table {
  static constexpr std::size_t terms = 6;
  static constexpr double end = 28;
  static constexpr double per_unit = 16;  ///< points; a power of two, so that distances from them are exact
  static constexpr std::size_t points = 28 * 16 + 1;
  static constexpr double half_root_pi = 0.886226925452758013649083741670572591;

  /// Element n * 6 + m is F_m(n / 16) / m!
  alignas(64) std::array<double, points * terms> coefficients;
};

/// The table; computed once.
boys_table const& table_of_boys();

/// F0(t) = integral over u in [0, 1] of exp(-t u^2), for t >= 0. Relative error below 4e-13.
double boys(double t) noexcept;

}  // namespace skua::apps::hartree_fock
