// SPDX-License-Identifier: MIT
// The body of integrals<Arch> (integrals.hpp), compiled once per vector width. It goes over short
// stretches in three loops: the compiler makes vectors of the first and the last, which hold the divisions and the square
// roots; the one between looks up the table, which no vector does faster.
#include <cstddef>

#include "apps/hartree_fock/boys.hpp"
#include "apps/hartree_fock/integrals.hpp"
#include "apps/simd/arches.hpp"

namespace skua::apps::hartree_fock {

template <class Arch>
void integrals(charge const& of, charges const& with, std::size_t n, double const* boys, double* into) noexcept {
  constexpr std::size_t stretch = 64;
  constexpr double two_pi_to_five_halves = 34.986836655249725692;
  constexpr std::ptrdiff_t terms = static_cast<std::ptrdiff_t>(boys_table::terms);
  charge const ij = of;
  double const scale = two_pi_to_five_halves * ij.factor;
  double t[stretch];
  double factor[stretch];
  double series[stretch];
  for (std::size_t begin = 0; begin < n; begin += stretch) {
    std::size_t const count = n - begin < stretch ? n - begin : stretch;
    for (std::size_t m = 0; m < count; ++m) {
      double const q = with.exponent[begin + m];
      double const inverse = 1 / (ij.exponent + q);
      double const dx = ij.x - with.x[begin + m];
      double const dy = ij.y - with.y[begin + m];
      double const dz = ij.z - with.z[begin + m];
      t[m] = ij.exponent * q * inverse * (dx * dx + dy * dy + dz * dz);
      factor[m] = scale * with.factor[begin + m] * __builtin_sqrt(inverse);
    }
    for (std::size_t m = 0; m < count; ++m) {
      double const within = t[m] < boys_table::end ? t[m] : boys_table::end;
      std::ptrdiff_t const nearest = static_cast<std::ptrdiff_t>(within * boys_table::per_unit + 0.5);
      double const x = static_cast<double>(nearest) * (1 / boys_table::per_unit) - within;
      double const* const c = boys + nearest * terms;
      series[m] = c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * (c[4] + x * c[5]))));
    }
    for (std::size_t m = 0; m < count; ++m) {
      double const asymptotic = boys_table::half_root_pi / __builtin_sqrt(t[m] < 1 ? 1 : t[m]);
      into[begin + m] = factor[m] * (t[m] < boys_table::end ? series[m] : asymptotic);
    }
  }
}

template void integrals<simd::SKUA_SIMD_WIDTH>(charge const&, charges const&, std::size_t, double const*,
                                               double*) noexcept;

}  // namespace skua::apps::hartree_fock
