// SPDX-License-Identifier: MIT
// The self-consistent field of closed-shell Hartree-Fock. The caller builds the two-electron part of the Fock matrix from
// the density, by whatever machine; this class does the rest of each iteration: energy, eigenvectors, next density.
//
//     scf field(screening);
//     while (!field.done()) field.advance(two_electron_part(field.density()));
//
// It follows Global Arrays' example scf, the paper's benchmark [retentive-hpdc12 7.1]: the first density is that of the atoms
// alone, the Fock matrix is diagonalised in the basis of the last orbitals, with a shift of the empty ones, and large
// systems are damped at first. It runs on to a tighter tolerance by default, so that energies agree whatever the
// order of summation was.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "apps/hartree_fock/linear_algebra.hpp"
#include "apps/hartree_fock/matrix.hpp"
#include "apps/hartree_fock/screening.hpp"

namespace skua::apps::hartree_fock {

struct scf_options {
  static constexpr double tolerance_of_the_original = 0.5e-3;
  /// The field has converged when no element of the density changes by more.
  double tolerance = 1e-6;
  std::uint32_t most_iterations = 100;
};

/// What the machines of an iteration share. `iteration` counts from 0.
struct scf_rules {
  /// How far the empty levels are raised. `off_diagonal`: how far the Fock matrix is from commuting with the last density; `gap`: between the occupied and the empty
  /// levels of the last iteration, in hartree.
  [[nodiscard]] static double shift(std::uint32_t iteration, std::size_t functions, double off_diagonal,
                                    double gap) noexcept;
  /// The part of the old density in the next one.
  [[nodiscard]] static double damping(std::uint32_t iteration, std::size_t functions) noexcept;
  /// An element of the core Hamiltonian, the same for (i, j) and (j, i). Elements of distant functions are left out, as their integrals are.
  [[nodiscard]] static double core(screening const& on, std::uint32_t i, std::uint32_t j) noexcept;
};

class scf {
 public:
  /// Work O(n^3 + n^2 atoms) for n functions. `on` must outlive it. Throws usage_error if OpenBLAS is missing.
  explicit scf(screening const& on, scf_options options = {});

  /// The density of one atom alone, from which a field starts with such a block for each atom.
  [[nodiscard]] static matrix density_of_an_atom(double threshold);
  /// D, symmetric; with it the next two-electron part is due.
  [[nodiscard]] matrix const& density() const noexcept { return density_; }
  /// One iteration. `two_electron`: the sum over kl of (ij|kl) D_kl - (ik|jl) D_kl / 2. O(n^3).
  void advance(matrix two_electron);

  /// The state from which the next iteration starts, for a checkpoint: 4 + 2 n^2 + n numbers.
  [[nodiscard]] std::vector<double> state() const;
  /// Goes on where a field of the same atoms stopped. Throws usage_error for the state of another one.
  void resume(std::span<double const> state);

  [[nodiscard]] bool converged() const noexcept { return iterations_ > 0 && change_ < options_.tolerance; }
  /// Converged, or out of iterations.
  [[nodiscard]] bool done() const noexcept { return converged() || iterations_ >= options_.most_iterations; }
  [[nodiscard]] std::uint32_t iterations() const noexcept { return iterations_; }
  /// Of the density before the last iteration, in hartree, nuclei included. Its error is quadratic in change().
  [[nodiscard]] double energy() const noexcept { return energy_; }
  /// The largest change of an element of the density in the last iteration.
  [[nodiscard]] double change() const noexcept { return change_; }
  /// Energies of the orbitals after the last iteration, rising.
  [[nodiscard]] std::vector<double> const& levels() const noexcept { return levels_; }

 private:
  struct empty_start {};
  scf(screening const& on, scf_options options, empty_start);

  [[nodiscard]] matrix density_of_atoms() const;
  [[nodiscard]] matrix core() const;
  [[nodiscard]] matrix orthonormal() const;
  [[nodiscard]] matrix density_of_orbitals() const;
  [[nodiscard]] double shift_for(matrix const& transformed) const noexcept;

  screening const& on_;
  scf_options options_;
  linear_algebra algebra_;
  matrix core_;
  matrix orbitals_;  ///< in columns, orthonormal with respect to the overlap
  matrix density_;
  std::vector<double> levels_;
  double energy_ = 0;
  double change_ = 0;
  std::uint32_t iterations_ = 0;
};

/// The two-electron part of the Fock matrix on the calling thread. Work: all integrals.
matrix two_electron_part(screening const& on, matrix const& density);

/// Runs to the end on the calling thread.
scf solve_serially(screening const& on, scf_options options = {});

}  // namespace skua::apps::hartree_fock
