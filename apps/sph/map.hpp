// SPDX-License-Identifier: MIT
// The task map of sph. The tree is another one in every step; particles keep their number. So what is owned is a particle
// in each of the two passes, and what is drawn are the leaves of the tree, as the pass over forces had them.
#pragma once

#include <cstdint>
#include <span>

#include "apps/map/task_map.hpp"
#include "apps/sph/problem.hpp"
#include "skua/machine/threads/worker/leaf_log.hpp"

namespace skua::apps::sph {

/// In three dimensions the picture is a cut through the middle of the tank.
template <std::size_t D>
class surveyor {
 public:
  surveyor(problem<D> const& p, std::uint32_t workers);

  /// A step has ended, and these leaves ran in it. Work O(particles).
  void note(std::span<leaf_rows const> of_workers);
  [[nodiscard]] task_map const& map() const noexcept { return map_; }

 private:
  [[nodiscard]] std::vector<map_box> boxes(std::span<std::uint32_t const> owner_of_force) const;

  problem<D> const& problem_;
  box<D> within_;
  task_map map_;
};

}  // namespace skua::apps::sph
