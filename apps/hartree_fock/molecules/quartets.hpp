// SPDX-License-Identifier: MIT
// The tasks of a molecule's Fock build. Pairs of shells come by falling Schwarz bound; task p computes the quartets (p|q) with
// q <= p whose bounds multiply to the threshold or more, each once for all its eight permutations, and adds
//
//     F_ab += (ab|cd) D_cd        F_ac -= (ab|cd) D_bd / 2
//
// with its permutations to the Fock matrix of its worker.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "apps/hartree_fock/matrix.hpp"
#include "apps/hartree_fock/molecules/repulsion.hpp"
#include "apps/hartree_fock/molecules/shells.hpp"

namespace skua::apps::hartree_fock::molecules {

class quartets {
 public:
  /// Work O(pairs of shells). Throws usage_error if there is no library of integrals.
  quartets(shells of, double threshold);

  [[nodiscard]] shells const& of() const noexcept { return of_; }
  [[nodiscard]] std::shared_ptr<integral_library const> const& library() const noexcept { return library_; }
  [[nodiscard]] std::uint32_t tasks() const noexcept { return static_cast<std::uint32_t>(ends_.size()); }
  [[nodiscard]] shell_pair const& pair(std::uint32_t p) const noexcept { return pairs_[p]; }
  /// Task p has the quartets with q below it.
  [[nodiscard]] std::uint32_t end(std::uint32_t p) const noexcept { return ends_[p]; }
  /// In fours of primitives and functions.
  [[nodiscard]] double work_of(std::uint32_t p) const noexcept { return work_[p]; }
  /// Quartets of shells, computed and left out.
  [[nodiscard]] std::uint64_t computed() const noexcept { return computed_; }
  [[nodiscard]] std::uint64_t left_out() const noexcept { return left_out_; }
  /// What the energy of a density whose elements are up to 2 lacks at most, in hartree: the sum of the bounds left out.
  [[nodiscard]] double error() const noexcept { return error_; }

 private:
  void order_pairs();
  void list_tasks(double threshold);

  shells of_;
  std::shared_ptr<integral_library const> library_;
  std::vector<shell_pair> pairs_;
  std::vector<std::uint32_t> ends_;
  std::vector<double> work_;
  std::uint64_t computed_ = 0;
  std::uint64_t left_out_ = 0;
  double error_ = 0;
};

/// Runs tasks, one at a time; each worker has its own.
class quartet_worker {
 public:
  /// `of` must outlive it.
  explicit quartet_worker(quartets const& of) : fock(of.of().functions), of_(of), integrals_(of.library(), of.of()) {}
  void run(std::uint32_t task, matrix const& density);

  matrix fock;  ///< not symmetric: symmetric() makes the two-electron part of the sum

 private:
  void add(shell_pair const& bra, shell_pair const& ket, double weight, matrix const& density);

  quartets const& of_;
  repulsion_integrals integrals_;
};

/// The two-electron part of the Fock matrix from the sum of all workers' matrices.
[[nodiscard]] matrix symmetric(matrix const& sum);

}  // namespace skua::apps::hartree_fock::molecules
