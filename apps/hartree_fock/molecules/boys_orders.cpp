// SPDX-License-Identifier: MIT
#include "apps/hartree_fock/molecules/boys_orders.hpp"

#include <cmath>
#include <numbers>

namespace skua::apps::hartree_fock::molecules {
namespace {

constexpr double grid_step = 0.1;
constexpr double end_of_table = 36;  // beyond it erf(sqrt(T)) is 1 to 2e-17
constexpr std::size_t terms = 7;

/// exp(-T) times the sum of (2T)^k / ((2m+1)(2m+3)...(2m+2k+1)): all terms are positive.
double by_series(std::size_t m, double t) noexcept {
  double term = 1 / static_cast<double>(2 * m + 1);
  double sum = term;
  for (std::size_t k = 1; term > sum * 1e-17; ++k) {
    term *= 2 * t / static_cast<double>(2 * (m + k) + 1);
    sum += term;
  }
  return std::exp(-t) * sum;
}

}  // namespace

boys_orders::boys_orders(std::size_t most_order)
    : orders_(most_order + terms), table_((static_cast<std::size_t>(end_of_table / grid_step) + 2) * orders_) {
  for (std::size_t e = 0; e < table_.size(); ++e)
    table_[e] = by_series(e % orders_, grid_step * static_cast<double>(e / orders_));
}

void boys_orders::operator()(double t, std::size_t order, double* into) const noexcept {
  if (t >= end_of_table) {
    into[0] = std::sqrt(std::numbers::pi / t) / 2;
    double const exponential = std::exp(-t);
    for (std::size_t m = 0; m < order; ++m) {
      into[m + 1] = (static_cast<double>(2 * m + 1) * into[m] - exponential) / (2 * t);
    }
    return;
  }
  // Taylor's series of the highest order about the nearest point of the grid: the derivative of F_m is -F_(m+1).
  auto const nearest = static_cast<std::size_t>(t / grid_step + 0.5);
  double const* const row = &table_[nearest * orders_ + order];
  double const away = grid_step * static_cast<double>(nearest) - t;
  double sum = row[terms - 1];
  for (std::size_t k = terms - 1; k > 0; --k) sum = row[k - 1] + sum * away / static_cast<double>(k);
  into[order] = sum;
  if (order == 0) return;
  double const exponential = std::exp(-t);
  for (std::size_t m = order; m > 0; --m) {
    into[m - 1] = (2 * t * into[m] + exponential) / static_cast<double>(2 * m - 1);
  }
}

}  // namespace skua::apps::hartree_fock::molecules
