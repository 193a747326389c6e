// SPDX-License-Identifier: MIT
#include "apps/sph/tank.hpp"

namespace skua::apps::sph {

template <>
tank<2> dam_break<2>(int scale) {
  int const s = scale;
  return {.spacing = 0.55 / 30 / s,
          .water = {.low = {0, 0}, .high = {67 * s, 30 * s}},
          .obstacle = {.low = {130 * s, 0}, .high = {140 * s, 9 * s}},
          .inside = {.low = {0, 0}, .high = {175 * s, 55 * s}}};
}

template <>
tank<3> dam_break<3>(int scale) {
  int const s = scale;
  return {.spacing = 0.55 / 30 / s,
          .water = {.low = {0, 0, 0}, .high = {67 * s, 54 * s, 30 * s}},
          .obstacle = {.low = {130 * s, 17 * s, 0}, .high = {140 * s, 37 * s, 9 * s}},
          .inside = {.low = {0, 0, 0}, .high = {175 * s, 54 * s, 55 * s}}};
}

template <std::size_t D>
box<D> tank<D>::within() const noexcept {
  box<D> space;
  std::array<int, D> low = inside.low;
  std::array<int, D> high = inside.high;
  for (std::size_t d = 0; d < D; ++d) {
    low[d] -= wall_layers;
    high[d] += wall_layers - 1;
  }
  space.include(position(*this, low));
  space.include(position(*this, high));
  space.high[D - 1] = std::numeric_limits<double>::infinity();
  return space;
}

template <std::size_t D>
particle_set<D> fill(tank<D> const& t) {
  particle_set<D> all;
  auto const put = [&](std::array<int, D> const& point) { all.at.push_back(position(t, point)); };
  t.water.for_each(put);
  all.water = all.at.size();
  lattice_block<D> hull = t.inside;
  for (std::size_t d = 0; d < D; ++d) {
    hull.low[d] -= wall_layers;
    if (d != D - 1) hull.high[d] += wall_layers;
  }
  hull.for_each([&](std::array<int, D> const& point) {
    if (!t.inside.contains(point)) put(point);
  });
  t.obstacle.for_each(put);
  return all;
}

template struct tank<2>;
template struct tank<3>;
template particle_set<2> fill(tank<2> const& t);
template particle_set<3> fill(tank<3> const& t);

}  // namespace skua::apps::sph
