// SPDX-License-Identifier: MIT
// The Boys functions F_m(T), the integral of t^2m exp(-T t^2) over 0 to 1, for m = 0, 1, ...: every Coulomb integral is made
// of them. boys.hpp has a table of F_0 alone, for the chain's kernels.
#pragma once

#include <cstddef>
#include <vector>

namespace skua::apps::hartree_fock::molecules {

class boys_orders {
 public:
  /// For orders up to `most_order`. Room: 8 bytes * 361 * (most_order + 7).
  explicit boys_orders(std::size_t most_order);

  /// F_0 to F_order at T >= 0; the relative error is below 1e-13. [Helgaker, Jorgensen, Olsen: Molecular
  /// Electronic-Structure Theory, 9.8]
  void operator()(double t, std::size_t order, double* into) const noexcept;

 private:
  std::size_t orders_;         ///< in a row of the table
  std::vector<double> table_;  ///< a row for each T on a grid
};

}  // namespace skua::apps::hartree_fock::molecules
