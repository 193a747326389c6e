// SPDX-License-Identifier: MIT
#include "apps/hartree_fock/molecules/molecular_field.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "skua/parts/base/error.hpp"

namespace skua::apps::hartree_fock::molecules {
namespace {

using enum linear_algebra::form;

/// Functions that depend on each other more than that lose the digits of the answer.
constexpr double least_overlap = 1e-8;
/// Of Wolfsberg and Helmholz 1952, with Hoffmann's constant.
constexpr double hoffmann = 1.75;

matrix orthonormal_set(linear_algebra const& algebra, matrix overlap) {
  auto const [values, vectors] = algebra.solve(std::move(overlap));
  if (values.front() < least_overlap)
    throw usage_error(
        "hartree-fock: --basis has functions on this molecule that depend on each other; allowed: a smaller basis set");
  matrix scaled = vectors;
  for (std::size_t i = 0; i < scaled.n; ++i) {
    for (std::size_t j = 0; j < scaled.n; ++j) scaled.at(i, j) /= std::sqrt(values[j]);
  }
  return algebra.multiply(scaled, plain, vectors, transposed);
}

double sum_of_products(matrix const& a, matrix const& b) noexcept {
  double sum = 0;
  for (std::size_t e = 0; e < a.elements.size(); ++e) sum += a.elements[e] * b.elements[e];
  return sum;
}

}  // namespace

molecular_start::molecular_start(shells const& of, molecule const& within)
    : algebra(linear_algebra::find()), integrals(one_electron_integrals(of, within)),
      orthonormal(orthonormal_set(algebra, integrals.overlap)),
      occupied(static_cast<std::size_t>(within.electrons() / 2)), repulsion_of_nuclei(within.repulsion_of_nuclei()) {
  if (occupied > of.functions) {
    throw usage_error("hartree-fock: --basis has " + std::to_string(of.functions) + " functions for " +
                      std::to_string(within.electrons()) + " electrons; allowed: one for each pair, or more");
  }
}

molecular_field::molecular_field(molecular_start const& from, double tolerance, std::uint32_t most_iterations)
    : from_(from), tolerance_(tolerance), most_iterations_(most_iterations), density_(from.integrals.core.n) {
  matrix const& core = from.integrals.core;
  matrix guess = core;
  for (std::size_t i = 0; i < guess.n; ++i) {
    for (std::size_t j = 0; j < guess.n; ++j) {
      if (i != j) guess.at(i, j) = hoffmann * from.integrals.overlap.at(i, j) * (core.at(i, i) + core.at(j, j)) / 2;
    }
  }
  diagonalise(guess);
  change_ = 0;
}

void molecular_field::diagonalise(matrix const& fock) {
  linear_algebra const& algebra = from_.algebra;
  matrix const& x = from_.orthonormal;
  auto [values, vectors] =
      algebra.solve(algebra.multiply(x, transposed, algebra.multiply(fock, plain, x, plain), plain));
  levels_ = std::move(values);
  matrix const orbitals = algebra.multiply(x, plain, vectors, plain);
  matrix occupied(orbitals.n);  // the other columns stay zero
  for (std::size_t i = 0; i < orbitals.n; ++i) {
    for (std::size_t k = 0; k < from_.occupied; ++k) occupied.at(i, k) = std::sqrt(2.0) * orbitals.at(i, k);
  }
  matrix next = algebra.multiply(occupied, plain, occupied, transposed);
  change_ = 0;
  for (std::size_t e = 0; e < next.elements.size(); ++e)
    change_ = std::max(change_, std::abs(next.elements[e] - density_.elements[e]));
  density_ = std::move(next);
}

/// F D S - S D F in the orthonormal set: how far F is from commuting with the density.
matrix molecular_field::error_of(matrix const& fock) const {
  linear_algebra const& algebra = from_.algebra;
  matrix const& x = from_.orthonormal;
  matrix const fds =
      algebra.multiply(algebra.multiply(fock, plain, density_, plain), plain, from_.integrals.overlap, plain);
  matrix difference = fds;
  for (std::size_t i = 0; i < fds.n; ++i) {
    for (std::size_t j = 0; j < fds.n; ++j) difference.at(i, j) -= fds.at(j, i);
  }
  return algebra.multiply(x, transposed, algebra.multiply(difference, plain, x, plain), plain);
}

void molecular_field::advance(matrix two_electron) {
  matrix& fock = two_electron;
  matrix const& core = from_.integrals.core;
  for (std::size_t e = 0; e < fock.elements.size(); ++e) fock.elements[e] += core.elements[e];
  energy_ = from_.repulsion_of_nuclei + (sum_of_products(core, density_) + sum_of_products(fock, density_)) / 2;
  matrix error = error_of(fock);
  error_ = 0;
  for (double const e : error.elements) error_ = std::max(error_, std::abs(e));
  diagonalise(extrapolation_.next(std::move(fock), std::move(error)));
  ++iterations_;
}

}  // namespace skua::apps::hartree_fock::molecules
