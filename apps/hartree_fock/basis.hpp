// SPDX-License-Identifier: MIT
// A chain of beryllium atoms and its basis of s-Gaussians: the input of the Hartree-Fock benchmark. All integrals over
// s-Gaussians have closed forms, so an input of any length needs no file. Atomic units throughout.
// It is the input of Global Arrays' example scf. [retentive-hpdc12 7.1]
#pragma once

#include <cstddef>
#include <cstdint>

namespace skua::apps::hartree_fock {

/// A point in bohr.
struct point {
  double x;
  double y;
  double z;
};

/// |a - b|^2
constexpr double square_distance(point const& a, point const& b) noexcept {
  return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z);
}

/// N exp(-exponent |r - centre|^2), normalised to 1.
struct gaussian {
  point centre;
  double exponent;
  double norm;
};

/// The product of two Gaussians a and b is one Gaussian: factor * exp(-exponent |r - centre|^2).
struct product {
  point centre;
  double exponent;  ///< of a plus that of b
  double factor;    ///< norms and exp(-ab/(a+b) R^2) together
};
product product_of(gaussian const& a, gaussian const& b) noexcept;

/// Atoms on the x axis, 4 bohr apart. Function 15 a + f is function f of atom a: nine on the atom, and six whose
/// centres lie 1.6 bohr along +x, -x, +y, -y, +z, -z.
struct chain {
  static constexpr std::uint32_t functions_per_atom = 15;
  static constexpr std::uint32_t most_atoms = 4096;
  static constexpr double charge = 4;
  static constexpr double spacing = 4;

  std::uint32_t atoms = 0;

  [[nodiscard]] std::uint32_t functions() const noexcept { return atoms * functions_per_atom; }
  /// Orbitals of two electrons each.
  [[nodiscard]] std::uint32_t occupied() const noexcept { return 2 * atoms; }
  [[nodiscard]] static point atom(std::uint32_t a) noexcept { return {spacing * a, 0, 0}; }
  [[nodiscard]] static gaussian function(std::uint32_t i) noexcept;
  /// The energy of the nuclei among themselves, in hartree. Work O(atoms^2).
  [[nodiscard]] double repulsion_of_nuclei() const noexcept;

  /// The element (i, j) of the core Hamiltonian: kinetic energy and attraction of all nuclei. Work O(atoms).
  [[nodiscard]] double core(std::uint32_t i, std::uint32_t j) const noexcept;
};

/// <a|b>
double overlap(gaussian const& a, gaussian const& b) noexcept;
/// <a| -1/2 Laplace |b>
double kinetic(gaussian const& a, gaussian const& b) noexcept;
/// The potential of a nucleus of charge 1 at c, as a positive number.
double attraction(gaussian const& a, gaussian const& b, point const& c) noexcept;
/// (ab|cd): the repulsion of two charges that are products.
double repulsion(product const& ab, product const& cd) noexcept;

}  // namespace skua::apps::hartree_fock
