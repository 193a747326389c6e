// SPDX-License-Identifier: MIT
#include "apps/cholesky/problem.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "skua/parts/base/dice.hpp"
#include "skua/program/serial.hpp"

namespace skua::apps::cholesky {
namespace {

using vector = std::vector<double>;

/// Calls visit(i, j, value) for all elements of the lower half.
template <class Visit>
void for_each_element(tiles const& m, Visit&& visit) {
  shape const& s = m.of();
  for (std::size_t ti = 0; ti < s.tiles(); ++ti) {
    for (std::size_t tj = 0; tj <= ti; ++tj) {
      double const* const tile = m.at(ti, tj);
      for (std::size_t j = 0; j < s.rows_of(tj); ++j) {
        for (std::size_t i = ti == tj ? j : 0; i < s.rows_of(ti); ++i)
          visit(ti * s.tile + i, tj * s.tile + j, tile[j * s.tile + i]);
      }
    }
  }
}

/// L * (L^T * x), of the absolute values of L if `magnitudes`.
vector squared_times(tiles const& l, vector const& x, bool magnitudes) {
  vector by_transposed(x.size(), 0);
  vector all(x.size(), 0);
  auto const value = [magnitudes](double v) { return magnitudes ? std::fabs(v) : v; };
  for_each_element(l, [&](std::size_t i, std::size_t j, double v) { by_transposed[j] += value(v) * x[i]; });
  for_each_element(l, [&](std::size_t i, std::size_t j, double v) { all[i] += value(v) * by_transposed[j]; });
  return all;
}

vector input_times(shape const& s, vector const& x) {
  vector all(s.n, 0);
  for (std::size_t i = 0; i < s.n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double const a = s.element(i, j);
      all[i] += a * x[j];
      if (i != j) all[j] += a * x[i];
    }
  }
  return all;
}

}  // namespace

double shape::element(std::size_t i, std::size_t j) const noexcept {
  std::uint64_t const bits = runtime::dice{seed + (std::uint64_t{i} << 32) + j}.next();
  double const value = static_cast<double>(bits >> 11) * 0x1p-52 - 1;
  return i == j ? value + static_cast<double>(n) : value;
}

void tiles::generate() {
  for (std::size_t ti = 0; ti < shape_.tiles(); ++ti) {
    for (std::size_t tj = 0; tj <= ti; ++tj) {
      double* const tile = at(ti, tj);
      std::fill_n(tile, shape_.tile * shape_.tile, 0.0);
      for (std::size_t j = 0; j < shape_.rows_of(tj); ++j) {
        for (std::size_t i = ti == tj ? j : 0; i < shape_.rows_of(ti); ++i)
          tile[j * shape_.tile + i] = shape_.element(ti * shape_.tile + i, tj * shape_.tile + j);
      }
    }
  }
}

double task::operations(shape const& s) const noexcept {
  auto const m = static_cast<double>(s.rows_of(i));
  auto const n = static_cast<double>(s.rows_of(j));
  auto const sums = static_cast<double>(s.rows_of(k));
  switch (what) {
    case operation::factor: return m * m * m / 3;
    case operation::solve: return m * n * n;
    case operation::square: return m * m * sums;
    case operation::multiply: break;
  }
  return 2 * m * n * sums;
}

char const* task::operation_name() const noexcept {
  static constexpr std::array<char const*, 5> words{"", "potrf", "trsm", "syrk", "gemm"};
  return words[static_cast<std::size_t>(what)];
}

std::string task::name() const {
  return std::string(operation_name()) + " " + std::to_string(i) + " " + std::to_string(j) + " " + std::to_string(k);
}

problem::problem(shape const& s) : matrix_(s) { by_.push_back(lapack::find()); }

void problem::reset() {
  failed_.store(false, std::memory_order_relaxed);  // no task runs
  matrix_.generate();
}

void problem::run(task const& t) {
  shape const& s = of();
  switch (t.what) {
    case operation::factor:
      // relaxed: read when all tasks have ended
      if (by_[0].factor(s.rows_of(t.k), matrix_.at(t.k, t.k), s.tile) != 0)
        failed_.store(true, std::memory_order_relaxed);
      return;
    case operation::square:
      return by_[0].square(s.rows_of(t.i), s.rows_of(t.k), matrix_.at(t.i, t.k), matrix_.at(t.i, t.i), s.tile);
    case operation::solve:
    case operation::multiply: return run_rows(t, 0, s.rows_of(t.i));
  }
}

void problem::run_rows(task const& t, std::size_t begin, std::size_t end) {
  shape const& s = of();
  double* const to = matrix_.at(t.i, t.j) + begin;
  if (t.what == operation::solve) {
    return by_[0].solve(end - begin, s.rows_of(t.k), matrix_.at(t.k, t.k), to, s.tile);
  }
  by_[0].multiply(end - begin, s.rows_of(t.j), s.rows_of(t.k), matrix_.at(t.i, t.k) + begin, matrix_.at(t.j, t.k), to,
                  s.tile);
}

std::string problem::wrong() const {
  if (failed_.load(std::memory_order_relaxed)) return "cholesky: a diagonal tile is not positive definite";  // see run
  shape const& s = of();
  double const rounding = static_cast<double>(s.n + 1) * std::numeric_limits<double>::epsilon() / 2;
  double const bound = 3 * rounding / (1 - rounding);  // the check rounds as well, twice
  runtime::dice roll{7};
  vector x(s.n);
  for (double& e : x) e = static_cast<double>(roll.below(2001)) / 1000 - 1;
  vector const got = squared_times(matrix_, x, false);
  vector const right = input_times(s, x);
  for (double& e : x) e = std::fabs(e);
  vector const allowed = squared_times(matrix_, x, true);
  for (std::size_t i = 0; i < s.n; ++i) {
    if (std::fabs(got[i] - right[i]) <= bound * allowed[i]) continue;  // a NaN is not
    return "cholesky: row " + std::to_string(i) + " of L L^T x is " + std::to_string(got[i]) + "; right is " +
           std::to_string(right[i]);
  }
  return {};
}

std::string to_dot(problem& p) {
  serial here;
  flow graph(here);
  build(graph, p, [&](auto const& node, task const& t) { graph.name(node, t.name()); });
  return graph.to_dot();
}

void run_alone(problem& p) {
  for_each_task(p.of().tiles(), [&p](task const& t) { p.run(t); });
}

}  // namespace skua::apps::cholesky
