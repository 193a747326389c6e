// SPDX-License-Identifier: MIT
// The task map of sph. Every step builds another tree, but particles keep their numbers. So the items
// are the particles, once for each of the two passes, and the picture shows the leaves of the tree as
// the pass over forces ran them.
#pragma once

#include <cstdint>
#include <span>

#include "apps/map/task_map.hpp"
#include "apps/sph/problem.hpp"
#include "skua/machine/threads/lane/leaf_log.hpp"

namespace skua::apps::sph {

/// In three dimensions the picture is a cut through the middle of the tank.
template <std::size_t D>
class surveyor {
 public:
  surveyor(problem<D> const& p, std::uint32_t workers);

  /// Call it after a step, in which these leaves ran. Work O(particles).
  void note(std::span<leaf_rows const> of_workers);
  [[nodiscard]] task_map const& map() const noexcept { return map_; }

 private:
  [[nodiscard]] std::vector<map_box> boxes(std::span<std::uint32_t const> owner_of_force) const;

  problem<D> const& problem_;
  box<D> within_;
  task_map map_;
};

}  // namespace skua::apps::sph
