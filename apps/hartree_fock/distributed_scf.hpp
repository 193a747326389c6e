// SPDX-License-Identifier: MIT
// The self-consistent field on all ranks: each rank has some rows of every matrix, and no rank a whole one. It is `scf` with the density in place of the orbitals: the next
// density is the projector on the lowest levels of the Fock matrix (purification.hpp), so each iteration is that of `scf` up to rounding.
//
//     distributed_scf field(world, screening);
//     while (!field.done()) {
//       field.begin_build();
//       ...  // tasks get blocks of density() and accumulate to two_electron()
//       field.advance();
//     }
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/hartree_fock/distributed_algebra.hpp"
#include "apps/hartree_fock/purification.hpp"
#include "apps/hartree_fock/scf.hpp"
#include "apps/hartree_fock/screening.hpp"

namespace skua::apps::hartree_fock {

class distributed_scf {
 public:
  /// Collective. `on` must outlive it. `keeps_builds`: last_density() is kept. Throws usage_error if OpenBLAS is missing, resource_error on every rank if one of them has no memory. A rank's
  /// shares are of nine matrices, or eight.
  distributed_scf(communicator& world, screening const& on, scf_options options, bool keeps_builds);
  distributed_scf(distributed_scf const&) = delete;
  distributed_scf& operator=(distributed_scf const&) = delete;

  // --- collective

  /// Back to the density of the atoms.
  void restart();
  void begin_build() { two_electron_.fill(0); }
  /// One iteration; what ranks accumulated to two_electron() is complete before it. About 15 n^3 / ranks flops for each factor of 4 in width / gap of the levels.
  void advance();
  /// The state from which the next iteration starts: matrices in files whose names begin with `prefix`; the rest is returned. Rank 0 holds one whole matrix at a time meanwhile.
  [[nodiscard]] std::vector<double> write(std::string const& prefix);
  /// Goes on where a field of the same atoms stopped. Throws usage_error on every rank for the state of another one.
  void read(std::span<double const> state, std::string const& prefix);

  // --- transfers

  /// D, symmetric.
  [[nodiscard]] shared_matrix& density() noexcept { return density_; }
  /// The two-electron part of the last build, symmetric after advance().
  [[nodiscard]] shared_matrix& two_electron() noexcept { return two_electron_; }
  /// Of the last build.
  [[nodiscard]] shared_matrix& last_density() noexcept { return *last_density_; }

  // --- local; as those of scf

  [[nodiscard]] bool converged() const noexcept { return iterations_ > 0 && change_ < options_.tolerance; }
  [[nodiscard]] bool done() const noexcept { return converged() || iterations_ >= options_.most_iterations; }
  [[nodiscard]] std::uint32_t iterations() const noexcept { return iterations_; }
  [[nodiscard]] double energy() const noexcept { return energy_; }
  [[nodiscard]] double change() const noexcept { return change_; }
  [[nodiscard]] std::optional<frontier_levels> const& frontier() const noexcept { return frontier_; }
  /// Matrix products of the last purification.
  [[nodiscard]] std::uint32_t products() const noexcept { return purification_.products(); }
  [[nodiscard]] communicator& world() const noexcept { return algebra_.world(); }

 private:
  [[nodiscard]] shared_matrix zeros(char const* name) const;
  void make_core();
  void make_orthonormal();
  [[nodiscard]] double energy_of_density();
  void transform_fock();
  [[nodiscard]] double raise_empty_levels();
  void take_next_density();

  screening const& on_;
  scf_options options_;
  distributed_algebra algebra_;
  purification purification_;
  shared_matrix core_;
  shared_matrix orthonormal_;  ///< S^(-1/2)
  shared_matrix density_;
  shared_matrix two_electron_;
  shared_matrix projector_;  ///< on the occupied levels, in the orthonormal basis: half the last density before damping
  shared_matrix fock_;       ///< in the orthonormal basis
  shared_matrix work_;
  shared_matrix more_work_;
  std::unique_ptr<shared_matrix> last_density_;
  std::optional<frontier_levels> frontier_;  ///< of the last iteration, without its shift
  double energy_ = 0;
  double change_ = 0;
  std::uint32_t iterations_ = 0;
};

}  // namespace skua::apps::hartree_fock
