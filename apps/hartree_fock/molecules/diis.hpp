// SPDX-License-Identifier: MIT
// Direct inversion in the iterative subspace (Pulay 1980, 1982): the next Fock matrix is the sum of the last ones, with
// weights that add up to 1, whose error is the smallest.
#pragma once

#include <cstddef>
#include <deque>

#include "apps/hartree_fock/matrix.hpp"

namespace skua::apps::hartree_fock::molecules {

class diis {
 public:
  static constexpr std::size_t most = 8;

  /// Adds a Fock matrix and its error, which is zero in the self-consistent field, and returns the sum. Work O(most n^2).
  [[nodiscard]] matrix next(matrix fock, matrix error);

 private:
  struct entry {
    matrix fock;
    matrix error;
  };
  std::deque<entry> kept_;
};

}  // namespace skua::apps::hartree_fock::molecules
