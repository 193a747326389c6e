// SPDX-License-Identifier: MIT
// The body of one task of a Fock build. For each quadruple of functions in the tiles (I, J | K, L) whose bound reaches the
// threshold, it adds to the two-electron part of the Fock matrix
//
//     F_ij += (ij|kl) D_kl        F_ik -= (ij|kl) D_jl / 2
//
// and uses none of the eight symmetries of (ij|kl), as the paper's benchmark does not.
// [retentive-hpdc12 7.1]
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "apps/hartree_fock/integrals.hpp"
#include "apps/hartree_fock/screening.hpp"

namespace skua::apps::hartree_fock {

/// Where a task finds its blocks: the tile pair (I, J) of a matrix, row by row, size(I) * size(J) numbers. A machine with
/// distributed matrices gets and adds blocks of other ranks here.
template <class T>
concept fock_blocks = requires(T& on, std::uint32_t i, std::uint32_t j, double* into, double const* from) {
  on.bounds(i, j, into);       // copies the block of the Schwarz bounds S
  on.density(i, j, into);      // copies the block of the density D
  on.add_to_fock(i, j, from);  // adds to the block of F, atomically towards other tasks
};

/// Runs tasks, one at a time; each worker has its own. Holds room for six blocks and a list of charges.
class fock_worker {
 public:
  /// `on` must outlive it.
  explicit fock_worker(screening const& on);

  /// Runs one task. Returns the number of its integrals: 0, and neither density nor Fock matrix touched, if the task is
  /// null. Work O(integrals + tile^2 log tile).
  template <fock_blocks Blocks>
  std::uint64_t run(quartet const& task, Blocks& blocks) {
    blocks.bounds(task.i, task.j, s_ij_.data());
    blocks.bounds(task.k, task.l, s_kl_.data());
    if (is_null(task)) return 0;
    blocks.density(task.k, task.l, d_kl_.data());
    blocks.density(task.j, task.l, d_jl_.data());
    std::uint64_t const found = compute(task);
    blocks.add_to_fock(task.i, task.j, f_ij_.data());
    blocks.add_to_fock(task.i, task.k, f_ik_.data());
    return found;
  }

 private:
  /// The pairs (k, l) of a task that count with the largest bound, strongest first.
  struct partners {
    std::vector<std::uint32_t> row;     ///< k in its tile
    std::vector<std::uint32_t> column;  ///< l in its tile
    std::vector<double> bound;
    std::vector<double> x, y, z, exponent, factor;
    void clear() noexcept;
    void reserve(std::size_t n);
  };

  [[nodiscard]] bool is_null(quartet const& task) const noexcept;
  [[nodiscard]] std::uint64_t compute(quartet const& task);
  void list_partners(quartet const& task);
  [[nodiscard]] charge charge_of(std::uint32_t a, std::uint32_t b) const noexcept;

  screening const& on_;
  integrals_function* integrals_;
  double const* boys_;
  std::vector<gaussian> functions_;
  std::vector<double> s_ij_, s_kl_, d_kl_, d_jl_, f_ij_, f_ik_;
  partners kl_;
  std::uint64_t listed_;  ///< the pair (K, L) of kl_; tasks often come with the same one in a row
  std::vector<std::uint32_t> order_;
  std::vector<double> values_;     ///< integrals of one (i, j)
  std::vector<double> densities_;  ///< D_kl in the order of kl_
};

}  // namespace skua::apps::hartree_fock
