// SPDX-License-Identifier: MIT
// Which tasks of a Fock build have work, and how much. By Schwarz's inequality (ij|kl) <= S_ij S_kl with
// S_ij = sqrt((ij|ij)); integrals whose bound is below a threshold are left out, and a task without any other is null.
// In a long chain nearly all tasks are null: 99.75% with 256 atoms in tiles of 40.
// [retentive-hpdc12 7.1, Table 1]
//
// Nothing here enumerates the quadruples of tiles. Distant pairs are too weak for any partner, so the pairs that count
// are O(atoms), and equal distances have equal bounds, so pairs of tiles fall into a few classes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "apps/hartree_fock/basis.hpp"
#include "apps/hartree_fock/tiles.hpp"

namespace skua::apps::hartree_fock {

class screening {
 public:
  static constexpr double usual_threshold = 1e-6;  ///< hartree

  /// Throws usage_error unless there are 1 to 4096 atoms, the tile is at least 1, and the threshold is 0 or more.
  /// Work O(pairs of tiles that count * tile^2 log tile), about 10 ms with 512 atoms and tiles of 20.
  screening(chain const& of, std::uint32_t tile, double threshold = usual_threshold);

  [[nodiscard]] chain const& atoms() const noexcept { return chain_; }
  [[nodiscard]] tiling const& tiles() const noexcept { return tiles_; }
  [[nodiscard]] double threshold() const noexcept { return threshold_; }
  /// The largest S_ij: 6.861629 in every chain.
  [[nodiscard]] double largest() const noexcept { return largest_; }

  /// S_ij, or 0 if i and j are so far apart that S_ij * largest() is below the threshold.
  [[nodiscard]] double bound(std::uint32_t i, std::uint32_t j) const noexcept;
  /// The bounds of the functions in tile I with those in tile J, row by row: size(I) * size(J) numbers.
  void block(std::uint32_t i, std::uint32_t j, double* into) const noexcept;

  /// Pairs of tiles that have work with some partner: O(atoms).
  [[nodiscard]] std::size_t strong_pairs() const noexcept { return strong_.size(); }
  /// True if no integral of this task survives. Work O(log pairs).
  [[nodiscard]] bool null(quartet const& task) const noexcept;
  /// Tasks that are not null. Work O(classes^2).
  [[nodiscard]] std::uint64_t non_null() const noexcept;
  /// The integrals of all tasks. Work O(classes^2).
  [[nodiscard]] std::uint64_t integrals() const noexcept;

  /// The ids in [first, last) of the tasks that are not null, in order. Work O(pairs that count^2 * (last - first) /
  /// tasks + pairs that count + ids).
  [[nodiscard]] std::vector<std::uint64_t> non_null_ids(std::uint64_t first, std::uint64_t last) const;
  /// All of them.
  [[nodiscard]] std::vector<std::uint64_t> non_null_ids() const { return non_null_ids(0, tiles_.tasks()); }
  /// The integrals of each non-null task, in the order of ids. Work O(pairs that count^2).
  [[nodiscard]] std::vector<std::uint64_t> integrals_per_task() const;
  /// The integrals of one task; 0 if it is null. Work O(log pairs).
  [[nodiscard]] std::uint64_t integrals_of(quartet const& task) const noexcept;

 private:
  static constexpr std::size_t per_atom = chain::functions_per_atom;

  /// A pair of tiles that has work with some partner.
  struct strong_pair {
    std::uint64_t pair;
    std::uint32_t of_class;
  };
  /// Pairs of tiles with the same bounds, in whatever order they lie in the tile.
  struct pair_class {
    std::vector<double> bounds;  ///< falling; only those that count with the largest bound
    std::uint64_t pairs = 0;
  };

  void tabulate();
  void classify();
  void count();
  [[nodiscard]] strong_pair const* find(std::uint64_t pair) const noexcept;
  [[nodiscard]] std::uint64_t work(strong_pair const& ij, strong_pair const& kl) const noexcept {
    return work_[ij.of_class * classes_.size() + kl.of_class];
  }
  template <class Visit>
  void visit(std::uint64_t first, std::uint64_t last, Visit const& each) const;

  chain chain_;
  tiling tiles_;
  double threshold_;
  double largest_ = 0;
  std::vector<double> table_;        ///< bounds by distance of atoms, function, function
  std::vector<strong_pair> strong_;  ///< by pair
  std::vector<pair_class> classes_;
  std::vector<std::uint64_t> work_;  ///< integrals by class and class
};

/// The integrals of each task that is not null, in the order of ids: the work of a Fock build of a chain of beryllium.
std::vector<std::uint64_t> task_integrals(std::uint32_t atoms, std::uint32_t tile);

}  // namespace skua::apps::hartree_fock
