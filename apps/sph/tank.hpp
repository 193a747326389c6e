// SPDX-License-Identifier: MIT
// The dam break: a column of water at one end of an open tank, an obstacle towards the other. The sizes are those of
// the inputs of [adws-sc19 5.3]: 35,888 and 138,968 particles in two dimensions, 182,364 in three.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "apps/sph/space.hpp"

namespace skua::apps::sph {

/// A block of lattice points: low <= point < high.
template <std::size_t D>
struct lattice_block {
  std::array<int, D> low{};
  std::array<int, D> high{};

  /// Calls f(point) for every point, the last coordinate fastest.
  template <class F>
  void for_each(F&& f) const {
    std::array<int, D> point = low;
    while (point[0] < high[0]) {
      f(point);
      std::size_t d = D - 1;
      while (++point[d] >= high[d] && d > 0) {
        point[d] = low[d];
        --d;
      }
    }
  }
  [[nodiscard]] bool contains(std::array<int, D> const& point) const noexcept {
    bool in = true;
    for (std::size_t d = 0; d < D; ++d) in = in && low[d] <= point[d] && point[d] < high[d];
    return in;
  }
};

/// Everything lies on lattice points, `spacing` metres apart; no side of a block is empty.
template <std::size_t D>
struct tank {
  double spacing = 0;
  lattice_block<D> water;
  lattice_block<D> obstacle;
  lattice_block<D> inside;  ///< walls of two layers surround it, but do not cover it

  /// The space inside the walls, up to their outer side; open at the top.
  [[nodiscard]] box<D> within() const noexcept;
};

inline constexpr int wall_layers = 2;

/// The paper's tank; the column is 0.55 m high and 30 * scale particles. 3.2 m long, in three dimensions 1 m wide.
template <std::size_t D>
tank<D> dam_break(int scale);

/// The position of lattice point p. The first layer of water is one spacing above the last of the wall.
template <std::size_t D>
vec<D> position(tank<D> const& t, std::array<int, D> const& p) noexcept {
  vec<D> at{};
  for (std::size_t d = 0; d < D; ++d) at[d] = (p[d] + 1) * t.spacing;
  return at;
}

/// The particles: water first, then the walls and the obstacle, which never move.
template <std::size_t D>
struct particle_set {
  std::vector<vec<D>> at;
  std::size_t water = 0;  ///< this many, the first ones, move
};

template <std::size_t D>
particle_set<D> fill(tank<D> const& t);

}  // namespace skua::apps::sph
