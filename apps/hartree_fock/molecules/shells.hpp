// SPDX-License-Identifier: MIT
// The basis functions of a molecule: contracted Gaussians in shells on its nuclei, and what the integrals need of pairs of
// shells. Functions of a shell come in the order of libint: Cartesian ones x first (xx, xy, xz, yy, yz, zz), spherical d by
// rising m (xy, yz, 2zz-xx-yy, xz, xx-yy). Each x^l is normalised to 1, so Cartesian xy is not; no energy depends on that.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "apps/hartree_fock/molecules/basis_set.hpp"
#include "apps/hartree_fock/molecules/molecule.hpp"

namespace skua::apps::hartree_fock::molecules {

struct shell {
  unsigned l = 0;
  bool spherical = false;
  point at{};
  std::vector<double> exponents;
  std::vector<double> coefficients;  ///< of x^l exp(-exponent r^2), norms included
  std::size_t first = 0;             ///< its first function

  [[nodiscard]] std::size_t cartesians() const noexcept { return std::size_t{l + 1} * (l + 2) / 2; }
  [[nodiscard]] std::size_t functions() const noexcept { return spherical ? 2 * std::size_t{l} + 1 : cartesians(); }
};

struct shells {
  std::vector<shell> all;
  std::size_t functions = 0;
};

/// Throws usage_error, which names --basis, if an element has no functions in the set.
[[nodiscard]] shells shells_of(molecule const& of, basis_set const& set, std::string_view name_of_set);

/// Two primitives of a pair of shells, one on each.
struct primitive_pair {
  double a, b;      ///< their exponents
  double exponent;  ///< a + b
  point centre;     ///< of the product
  double factor;    ///< coefficients and exp(-ab/(a+b) R^2)
};

/// Shells (i, j), the one with the higher l first.
struct shell_pair {
  std::uint32_t i, j;
  std::vector<primitive_pair> primitives;
  double bound = 0;  ///< the root of the largest (ab|ab): Schwarz
};
[[nodiscard]] shell_pair pair_of(shells const& of, std::uint32_t i, std::uint32_t j);

/// The exponents of x, y and z in the Cartesian functions of shells with this l, in order.
[[nodiscard]] std::span<std::array<unsigned, 3> const> powers_of(unsigned l) noexcept;

/// Turns index `position` of a block of integrals, whose sizes are `sizes`, from Cartesian to spherical d functions, if the
/// shell is spherical. `sizes` is changed with it. Work: six times the block.
void make_spherical(shell const& of, std::size_t position, std::span<std::size_t> sizes, std::vector<double>& block,
                    std::vector<double>& scratch);

}  // namespace skua::apps::hartree_fock::molecules
