// SPDX-License-Identifier: MIT
// The particles in the order of the tree, and the two passes over its leaves: densities, then forces. A leaf reads what
// the previous pass wrote and writes only its own particles, so leaves run in any order. Every particle adds up its
// neighbours in the order of the tree, so the bits are the same in any order of leaves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "apps/sph/fluid.hpp"
#include "apps/sph/space.hpp"
#include "apps/sph/tree.hpp"

namespace skua::apps::sph {

/// The result of the first pass: rho, kg/m^3, and p / rho^2.
struct state {
  double density = 0;
  double pressure = 0;
};

template <std::size_t D>
struct particles {
  fluid<D> water;
  sph::tree<D> tree;
  std::vector<body<D>> bodies;
  std::vector<state> states;
  std::vector<vec<D>> accelerations;  ///< by other particles, without gravity
};

enum class pass : std::uint8_t { densities, forces };

/// One pass over one leaf. Work O(particles near the leaf + its own particles times those within its widened box).
template <std::size_t D>
void interact(particles<D>& p, node<D> const& leaf, pass which) noexcept;

/// About the cost of `interact` per particle of a leaf of 64 inside of water. A leaf 8 spacings wide (4 in three
/// dimensions) holds, with the radius around it, (8 + 4.2)^2 = 149 candidates ((4 + 4.2)^3 = 551); testing a candidate
/// costs 3 D operations, and those inside the radius, about 14 (39), cost about 25 more.
template <std::size_t D>
inline constexpr double flops_per_particle = D == 2 ? 149.0 * 3 * D + 14 * 25 : 551.0 * 3 * D + 39 * 25;

}  // namespace skua::apps::sph
