// SPDX-License-Identifier: MIT
// What lies in a lane of the simulator.
#pragma once

#include <cstdint>

#include "skua/machine/sim/names.hpp"
#include "skua/program/task_tree.hpp"

namespace skua { inline namespace v0 { namespace sim {

using fiber_id = std::uint32_t;
inline constexpr fiber_id no_fiber = 0xffff'ffffU;
using team_id = std::uint32_t;
inline constexpr team_id no_team = 0xffff'ffffU;

/// An entry of a lane.
struct item {
  enum class kind : std::uint8_t {
    rest,   ///< the children of a group from `node` on: a join's continuation
    child,  ///< one task, `node`
    frame,  ///< a stack that may continue
  };
  kind content;
  bool dead = false;  ///< its strategy allows dropping it
  tree_node_id node = no_tree_node;
  fiber_id fiber = no_fiber;
  team_id team = no_team;  ///< of a child: it is a member of this team
  task_tag tag{};          ///< unused in `forks`, `spawned` and `ordered`
};
static_assert(sizeof(item) == 64, "an entry is one cache line");

}}}  // namespace skua::v0::sim
