// SPDX-License-Identifier: MIT
// The task map of heat: the leaves of the plate stay where they are, only the buffer that they write to alternates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "apps/heat/problem.hpp"
#include "apps/map/task_map.hpp"
#include "skua/machine/threads/lane/leaf_log.hpp"

namespace skua::apps::heat {

/// The leaves into which `step` divides a plate, from the first child down.
std::vector<rectangle> leaves_of(rectangle const& whole, cutoff const& end);

class surveyor {
 public:
  surveyor(problem& p, cutoff const& end, std::uint32_t workers);

  /// Call it after iteration `which` of the problem, in which these leaves ran. Work O(leaves).
  void note(std::size_t which, std::span<leaf_rows const> of_workers);
  [[nodiscard]] task_map const& map() const noexcept { return map_; }

 private:
  problem& problem_;
  std::vector<map_box> boxes_;
  std::unordered_map<std::ptrdiff_t, std::uint32_t> leaf_at_;  ///< by the distance of its first cell from the plate's
  task_map map_;
};

}  // namespace skua::apps::heat
