// SPDX-License-Identifier: MIT
#include "apps/sph/map.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace skua::apps::sph {
namespace {

/// The particles that a leaf writes, if it writes to this array.
template <class T>
std::optional<range> written_in(std::vector<T> const& array, footprint const& leaf) noexcept {
  auto const begin = reinterpret_cast<std::uintptr_t>(array.data());
  auto const at = reinterpret_cast<std::uintptr_t>(leaf.written);
  if (at < begin || at >= begin + array.size() * sizeof(T)) return std::nullopt;
  auto const first = static_cast<std::uint32_t>((at - begin) / sizeof(T));
  return range{first, first + static_cast<std::uint32_t>(leaf.bytes_written / sizeof(T))};
}

template <std::size_t D>
double side(box<D> const& b, std::size_t d) noexcept {
  return b.high[d] - b.low[d];
}

/// The tank up to its rim.
template <std::size_t D>
box<D> up_to_rim(tank<D> const& t) noexcept {
  box<D> space = t.within();
  space.high[D - 1] = position(t, t.inside.high)[D - 1];
  return space;
}

}  // namespace

template <std::size_t D>
surveyor<D>::surveyor(problem<D> const& p, std::uint32_t workers)
    : problem_(p), within_(up_to_rim(p.tank())),
      map_(side(within_, 0), side(within_, D - 1), workers, std::vector<double>(2 * p.size(), 1.0)) {}

template <std::size_t D>
void surveyor<D>::note(std::span<leaf_rows const> of_workers) {
  particles<D> const& now = problem_.now();
  std::size_t const count = problem_.size();
  std::vector<std::uint32_t> owners(2 * count, nobody);  // by number: of densities, then of forces
  std::vector<std::uint32_t> forces(count, nobody);      // in the order of the tree
  for (std::uint32_t worker = 0; worker < of_workers.size(); ++worker) {
    map_.lose(of_workers[worker].lost);
    for (footprint const& leaf : of_workers[worker].ran) {
      if (auto const dense = written_in(now.states, leaf)) {
        for (std::uint32_t i = dense->first; i < dense->end; ++i) owners[now.bodies[i].id] = worker;
      } else if (auto const forced = written_in(now.accelerations, leaf)) {
        for (std::uint32_t i = forced->first; i < forced->end; ++i) {
          owners[count + now.bodies[i].id] = worker;
          forces[i] = worker;
        }
      }
    }
  }
  map_.add(std::move(owners), boxes(forces));
}

template <std::size_t D>
std::vector<map_box> surveyor<D>::boxes(std::span<std::uint32_t const> owner_of_force) const {
  tree<D> const& all = problem_.now().tree;
  std::vector<map_box> shown;
  for (std::size_t i = 0; i < all.leaves().size(); ++i) {
    node<D> const& leaf = all.leaf(i);
    if constexpr (D == 3) {
      // A particle extends half a spacing around it: otherwise the cut could fall between two layers of leaves.
      double const middle = (within_.low[1] + within_.high[1]) / 2;
      double const half = problem_.tank().spacing / 2;
      if (leaf.around.low[1] - half > middle || leaf.around.high[1] + half <= middle) continue;
    }
    // Cuts off water that splashes over the rim.
    auto const down = [&](double up) { return std::max(0.0, within_.high[D - 1] - up); };
    shown.push_back({.left = leaf.around.low[0] - within_.low[0],
                     .top = down(leaf.around.high[D - 1]),
                     .right = leaf.around.high[0] - within_.low[0],
                     .bottom = down(leaf.around.low[D - 1]),
                     .worker = owner_of_force[leaf.own.first]});
  }
  return shown;
}

template class surveyor<2>;
template class surveyor<3>;

}  // namespace skua::apps::sph
