// SPDX-License-Identifier: MIT
#include "apps/hartree_fock/molecules/diis.hpp"

#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

namespace skua::apps::hartree_fock::molecules {
namespace {

/// Gauss's elimination with the largest pivots. Empty: the equations have no answer to speak of.
std::vector<double> solved(std::vector<std::vector<double>> rows) {
  std::size_t const n = rows.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t best = k;
    for (std::size_t r = k + 1; r < n; ++r) {
      if (std::abs(rows[r][k]) > std::abs(rows[best][k])) best = r;
    }
    if (std::abs(rows[best][k]) < 1e-14) return {};
    std::swap(rows[k], rows[best]);
    for (std::size_t r = k + 1; r < n; ++r) {
      double const times = rows[r][k] / rows[k][k];
      for (std::size_t c = k; c <= n; ++c) rows[r][c] -= times * rows[k][c];
    }
  }
  std::vector<double> x(n);
  for (std::size_t k = n; k-- > 0;) {
    double sum = rows[k][n];
    for (std::size_t c = k + 1; c < n; ++c) sum -= rows[k][c] * x[c];
    x[k] = sum / rows[k][k];
  }
  return x;
}

double product_of(matrix const& a, matrix const& b) noexcept {
  return std::inner_product(a.elements.begin(), a.elements.end(), b.elements.begin(), 0.0);
}

}  // namespace

matrix diis::next(matrix fock, matrix error) {
  kept_.push_back({std::move(fock), std::move(error)});
  if (kept_.size() > most) kept_.pop_front();
  std::vector<double> weights;
  while (weights.empty() && kept_.size() > 1) {
    std::size_t const n = kept_.size();
    // In units of the last error, so that the equations are as good at the end as at the beginning.
    double const unit = product_of(kept_.back().error, kept_.back().error);
    if (unit == 0) break;
    std::vector<std::vector<double>> rows(n + 1, std::vector<double>(n + 2, 1));
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) rows[i][j] = product_of(kept_[i].error, kept_[j].error) / unit;
      rows[i][n + 1] = 0;
    }
    rows[n][n] = 0;
    weights = solved(std::move(rows));
    if (weights.empty()) kept_.pop_front();
  }
  if (weights.empty()) return kept_.back().fock;
  matrix sum(kept_.back().fock.n);
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    for (std::size_t e = 0; e < sum.elements.size(); ++e) sum.elements[e] += weights[i] * kept_[i].fock.elements[e];
  }
  return sum;
}

}  // namespace skua::apps::hartree_fock::molecules
