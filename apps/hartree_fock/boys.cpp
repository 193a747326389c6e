// SPDX-License-Identifier: MIT
#include "apps/hartree_fock/boys.hpp"

#include <cmath>

namespace skua::apps::hartree_fock {
namespace {

/// F_m(t) for m = 0 .. 5, by recursion down from an order so high that its value does not matter: the recursion divides
/// each error by (2 m + 1) / 2 t.
std::array<double, boys_table::terms> orders_of_boys(double t) noexcept {
  constexpr int high = 200;
  std::array<double, boys_table::terms> found{};
  double const decay = std::exp(-t);
  double value = 0;
  for (int m = high; m >= 0; --m) {
    value = (decay + 2 * t * value) / (2 * m + 1);
    if (m < static_cast<int>(boys_table::terms)) found[static_cast<std::size_t>(m)] = value;
  }
  return found;
}

boys_table make() noexcept {
  boys_table made{};
  for (std::size_t n = 0; n < boys_table::points; ++n) {
    auto const orders = orders_of_boys(static_cast<double>(n) / boys_table::per_unit);
    double factorial = 1;
    for (std::size_t m = 0; m < boys_table::terms; ++m) {
      if (m > 0) factorial *= static_cast<double>(m);
      made.coefficients[n * boys_table::terms + m] = orders[m] / factorial;
    }
  }
  return made;
}

}  // namespace

boys_table const& table_of_boys() {
  static boys_table const table = make();
  return table;
}

double boys(double t) noexcept {
  if (t >= boys_table::end) return boys_table::half_root_pi / std::sqrt(t);
  auto const nearest = static_cast<std::size_t>(t * boys_table::per_unit + 0.5);
  double const* const c = &table_of_boys().coefficients[nearest * boys_table::terms];
  double const x = static_cast<double>(nearest) / boys_table::per_unit - t;
  return c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * (c[4] + x * c[5]))));
}

}  // namespace skua::apps::hartree_fock
