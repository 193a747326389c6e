// SPDX-License-Identifier: MIT
#include "apps/qr/problem.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "skua/parts/base/dice.hpp"

namespace skua::apps::qr {
namespace {

using vector = std::vector<double>;

/// Calls visit(i, j, value) for the elements of R.
template <class Visit>
void for_each_element(problem const& p, Visit&& visit) {
  shape const& s = p.of();
  for (std::size_t ti = 0; ti < s.tiles(); ++ti) {
    for (std::size_t tj = ti; tj < s.tiles(); ++tj) {
      double const* const tile = p.at(ti, tj);
      for (std::size_t j = 0; j < s.rows_of(tj); ++j) {
        std::size_t const rows = ti == tj ? j + 1 : s.rows_of(ti);
        for (std::size_t i = 0; i < rows; ++i) visit(ti * s.tile + i, tj * s.tile + j, tile[j * s.tile + i]);
      }
    }
  }
}

template <class Visit>
void for_each_input(problem const& p, Visit&& visit) {
  std::size_t const n = p.of().n;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) visit(i, j, p.of().element(i, j));
  }
}

/// M^T (M x), of the absolute values of M if `magnitudes`.
template <class Elements>
vector squared_times(Elements&& elements, vector const& x, bool magnitudes) {
  vector once(x.size(), 0);
  vector all(x.size(), 0);
  auto const value = [magnitudes](double v) { return magnitudes ? std::fabs(v) : v; };
  elements([&](std::size_t i, std::size_t j, double v) { once[i] += value(v) * x[j]; });
  elements([&](std::size_t i, std::size_t j, double v) { all[j] += value(v) * once[i]; });
  return all;
}

}  // namespace

double shape::element(std::size_t i, std::size_t j) const noexcept {
  std::uint64_t const bits = runtime::dice{seed + (std::uint64_t{i} << 32) + j}.next();
  return static_cast<double>(bits >> 11) * 0x1p-52 - 1;
}

double task::operations(shape const& s) const noexcept {
  auto const n = static_cast<double>(s.rows_of(k));
  auto const m = static_cast<double>(s.rows_of(i));
  auto const columns = static_cast<double>(s.rows_of(j));
  switch (what) {
    case operation::factor: return 4 * n * n * n / 3;
    case operation::update: return 2 * n * n * columns;
    case operation::eliminate: return 2 * m * n * n;
    case operation::update_pair: break;
  }
  return 4 * m * n * columns;
}

std::string task::name() const {
  static constexpr std::array<char const*, 5> words{"", "geqrt", "unmqr", "tsqrt", "tsmqr"};
  return std::string(words[static_cast<std::size_t>(what)]) + " " + std::to_string(i) + " " + std::to_string(j) + " " +
         std::to_string(k);
}

problem::problem(shape const& s)
    : shape_(s), tiles_(s.tiles() * s.tiles() * s.tile * s.tile),
      factors_(s.tiles() * s.tiles() * lapack::inner * s.tile), reflectors_(s.tiles() * s.tile * s.tile) {
  by_.push_back(lapack::find());
}

void problem::reset() {
  shape const& s = shape_;
  for (std::size_t ti = 0; ti < s.tiles(); ++ti) {
    for (std::size_t tj = 0; tj < s.tiles(); ++tj) {
      double* const tile = at(ti, tj);
      for (std::size_t j = 0; j < s.rows_of(tj); ++j) {
        for (std::size_t i = 0; i < s.rows_of(ti); ++i)
          tile[j * s.tile + i] = s.element(ti * s.tile + i, tj * s.tile + j);
      }
    }
  }
}

void problem::run_columns(task const& t, std::size_t begin, std::size_t end) {
  shape const& s = shape_;
  std::size_t const ld = s.tile;
  std::size_t const order = s.rows_of(t.k);
  lapack const& by = by_[0];
  switch (t.what) {
    case operation::factor:
      by.factor(order, at(t.k, t.k), factor_of(t.k, t.k), ld);
      std::copy_n(at(t.k, t.k), ld * ld, reflectors(t.k));
      return;
    case operation::update:
      return by.apply(order, end - begin, reflectors(t.k), factor_of(t.k, t.k), at(t.k, t.j) + begin * ld, ld);
    case operation::eliminate:
      return by.factor_below(s.rows_of(t.i), order, at(t.k, t.k), at(t.i, t.k), factor_of(t.i, t.k), ld);
    case operation::update_pair:
      return by.apply_below(s.rows_of(t.i), order, end - begin, at(t.i, t.k), factor_of(t.i, t.k),
                            at(t.k, t.j) + begin * ld, at(t.i, t.j) + begin * ld, ld);
  }
}

std::string problem::wrong() const {
  shape const& s = shape_;
  runtime::dice roll{7};
  vector x(s.n);
  for (double& e : x) e = static_cast<double>(roll.below(2001)) / 1000 - 1;
  auto const of_r = [this](auto&& visit) { for_each_element(*this, visit); };
  auto const of_a = [this](auto&& visit) { for_each_input(*this, visit); };
  vector const got = squared_times(of_r, x, false);
  vector const right = squared_times(of_a, x, false);
  for (double& e : x) e = std::fabs(e);
  vector const by_r = squared_times(of_r, x, true);
  vector const by_a = squared_times(of_a, x, true);
  // A + dA = Q R with |dA| of each column <= c n e |A| of that column (Higham 2002, theorem 19.4); c is small.
  double const bound = 10 * static_cast<double>(s.n + 1) * std::numeric_limits<double>::epsilon();
  for (std::size_t i = 0; i < s.n; ++i) {
    if (std::fabs(got[i] - right[i]) <= bound * (by_r[i] + by_a[i])) continue;  // a NaN is not
    return "qr: row " + std::to_string(i) + " of R^T R x is " + std::to_string(got[i]) + "; right is " +
           std::to_string(right[i]);
  }
  return {};
}

void run_alone(problem& p) {
  for_each_task(p.of().tiles(), [&p](task const& t) { p.run(t); });
}

}  // namespace skua::apps::qr
