// SPDX-License-Identifier: MIT
#include "apps/hartree_fock/edge_level.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "skua/parts/base/dice.hpp"

namespace skua::apps::hartree_fock {
namespace {

using real_vector = std::vector<double>;

double dot(real_vector const& a, real_vector const& b) noexcept {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

void add(real_vector& to, double factor, real_vector const& v) noexcept {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += factor * v[i];
}

/// 0: it has no direction.
double normalise(real_vector& v) noexcept {
  double const length = std::sqrt(dot(v, v));
  for (double& x : v) x = length > 0 ? x / length : 0;
  return length;
}

/// The eigenvector of the largest eigenvalue of the tridiagonal matrix, in the basis.
real_vector largest_of(linear_algebra const& algebra, real_vector const& diagonal, real_vector const& beside,
                       std::vector<real_vector> const& basis) {
  matrix small(basis.size());
  for (std::size_t i = 0; i < small.n; ++i) small.at(i, i) = diagonal[i];
  for (std::size_t i = 0; i + 1 < small.n; ++i) small.at(i + 1, i) = small.at(i, i + 1) = beside[i];
  auto const [values, vectors] = algebra.solve(std::move(small));
  real_vector v(basis.front().size());
  for (std::size_t i = 0; i < basis.size(); ++i) add(v, vectors.at(i, basis.size() - 1), basis[i]);
  return v;
}

}  // namespace

double edge_level(distributed_algebra const& algebra, shared_matrix& f, shared_matrix& filter,
                  std::function<real_vector(real_vector)> const& within, std::uint32_t dimension) {
  constexpr std::size_t most_steps = 60;
  constexpr double exact = 1e-8;  // hartree; the error of the level is the square, over the distance to the next one
  constexpr double rounding = 1e-13;
  constexpr std::uint64_t same_on_every_rank = 1;
  runtime::dice dice(same_on_every_rank);
  real_vector v(f.rows());
  for (double& x : v) x = dice.unit() - 0.5;
  v = within(std::move(v));
  normalise(v);
  std::vector<real_vector> basis{v};
  real_vector diagonal, beside;
  double level = 0;
  double last = std::numeric_limits<double>::infinity();
  for (std::size_t step = 1;; ++step) {
    real_vector next = within(algebra.times(filter, basis.back()));
    diagonal.push_back(dot(next, basis.back()));
    real_vector found = largest_of(algebra.blocks(), diagonal, beside, basis);
    normalise(found);
    real_vector residual = algebra.times(f, found);
    // Ranks whose arithmetic differs in a last bit must still agree.
    std::array<double, 2> agreed{dot(found, residual), 0};
    add(residual, -agreed[0], found);
    agreed[1] = std::sqrt(dot(residual, residual));
    algebra.world().max(std::span(agreed));
    level = agreed[0];
    if (agreed[1] < exact || std::abs(level - last) < rounding * std::abs(level) ||
        step == std::min<std::size_t>(most_steps, dimension))
      return level;
    last = level;
    for (int twice = 0; twice < 2; ++twice) {
      for (real_vector const& b : basis) add(next, -dot(next, b), b);
    }
    double const length = algebra.world().max(normalise(next));
    if (length <= rounding * std::abs(diagonal.front())) return level;
    beside.push_back(length);
    basis.push_back(std::move(next));
  }
}

}  // namespace skua::apps::hartree_fock
