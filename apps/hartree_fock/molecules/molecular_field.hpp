// SPDX-License-Identifier: MIT
// The self-consistent field of a molecule: restricted Hartree-Fock with DIIS, from a density after Wolfsberg and Helmholz. As
// with `scf`, the caller builds the two-electron part of the Fock matrix from the density.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "apps/hartree_fock/linear_algebra.hpp"
#include "apps/hartree_fock/molecules/diis.hpp"
#include "apps/hartree_fock/molecules/one_electron.hpp"

namespace skua::apps::hartree_fock::molecules {

/// What all fields of a molecule share.
struct molecular_start {
  /// Throws usage_error if OpenBLAS is missing, and where the functions depend on each other or are too few. O(n^3).
  molecular_start(shells const& of, molecule const& within);

  linear_algebra algebra;
  one_electron integrals;
  matrix orthonormal;  ///< in columns: S^(-1/2)
  std::size_t occupied;
  double repulsion_of_nuclei;
};

class molecular_field {
 public:
  /// `from` must outlive it.
  molecular_field(molecular_start const& from, double tolerance, std::uint32_t most_iterations);

  [[nodiscard]] matrix const& density() const noexcept { return density_; }
  /// One iteration. `two_electron`: the sum over kl of (ij|kl) D_kl - (ik|jl) D_kl / 2. O(n^3).
  void advance(matrix two_electron);

  [[nodiscard]] bool converged() const noexcept { return iterations_ > 0 && std::max(change_, error_) < tolerance_; }
  [[nodiscard]] bool done() const noexcept { return converged() || iterations_ >= most_iterations_; }
  [[nodiscard]] std::uint32_t iterations() const noexcept { return iterations_; }
  /// Of the density before the last iteration, in hartree, nuclei included. Its error is quadratic in change().
  [[nodiscard]] double energy() const noexcept { return energy_; }
  /// The largest change of an element of the density in the last iteration.
  [[nodiscard]] double change() const noexcept { return change_; }
  /// The largest element of the error before the last iteration, in hartree: an extrapolation may stand still short of the field.
  [[nodiscard]] double error() const noexcept { return error_; }
  /// Energies of the orbitals after the last iteration, rising.
  [[nodiscard]] std::vector<double> const& levels() const noexcept { return levels_; }

 private:
  void diagonalise(matrix const& fock);
  [[nodiscard]] matrix error_of(matrix const& fock) const;

  molecular_start const& from_;
  double tolerance_;
  std::uint32_t most_iterations_;
  diis extrapolation_;
  matrix density_;
  std::vector<double> levels_;
  double energy_ = 0;
  double change_ = 0;
  double error_ = 0;
  std::uint32_t iterations_ = 0;
};

}  // namespace skua::apps::hartree_fock::molecules
