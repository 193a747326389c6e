// SPDX-License-Identifier: MIT
// The density of a Fock matrix without its eigenvectors: a polynomial of the matrix that is 1 at the occupied levels and 0 at the empty ones, made of squares
// of matrices that lie on all ranks (SP2: Niklasson, Phys. Rev. B 66, 155115, 2002). Where the levels are known approximately, steps are
// scaled, which halves their number (Rubensson, J. Chem. Theory Comput. 7, 1233, 2011). purification.md has the proof.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "apps/hartree_fock/distributed_algebra.hpp"

namespace skua::apps::hartree_fock {

/// The two levels around the gap, in hartree.
struct frontier_levels {
  double highest_occupied = 0;
  double lowest_empty = 0;
};

/// Of one field. Collective, as all its functions; the same numbers on every rank.
class purification {
 public:
  explicit purification(distributed_algebra const& algebra) noexcept : algebra_(algebra) {}

  /// The matrices that `project` may overwrite, beside its result. They may change places.
  struct workspace {
    shared_matrix& square;
    shared_matrix& difference;
  };
  /// `projector` = the projector on the `occupied` lowest eigenvectors of `f`. Returns their frontier. `expected`: about where it is; the gap found
  /// and the one expected should have a number in common, else all is done again without it. About 2 log4(width / gap) products with it and twice as many without, for
  /// the width of the spectrum. Throws resource_error on every rank if there is no gap.
  frontier_levels project(shared_matrix& f, std::uint32_t occupied, std::optional<frontier_levels> expected,
                          shared_matrix& projector, workspace const& work);
  /// Of the last `project`.
  [[nodiscard]] std::uint32_t products() const noexcept { return products_; }

 private:
  struct interval {
    double low = 0;
    double high = 0;
  };
  [[nodiscard]] interval bounds(shared_matrix& f) const;
  void begin(shared_matrix& f, interval const& in, shared_matrix& x) const;
  void approach(double empty, double occupied, shared_matrix& x, workspace const& work);
  void finish(std::uint32_t occupied, shared_matrix& x, workspace const& work);
  void square(shared_matrix& x, workspace const& work);
  [[nodiscard]] frontier_levels frontier(shared_matrix& f, std::uint32_t occupied, shared_matrix& projector,
                                         shared_matrix& difference) const;

  distributed_algebra const& algebra_;
  std::uint32_t products_ = 0;
};

}  // namespace skua::apps::hartree_fock
