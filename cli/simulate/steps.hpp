// SPDX-License-Identifier: MIT
// The code between leaves, as a recorder with a clock finds it, and put back into the same program's tree without times.
#pragma once

#include <cstdint>
#include <vector>

#include "skua/program/task_tree.hpp"

namespace skua::cli {

/// One stretch of a task's code between two leaves, forks or joins. Positions count all nodes but such stretches, so they
/// are the same in every recording of a program.
struct measured_step {
  tree_node_id before = 0;  ///< how many nodes come before it in the order of the serial program
  tree_node_id parent = 0;  ///< the position of the task
  std::uint64_t ns = 0;
};

/// Shorter ones are for the most part the recorder's own clock.
inline constexpr std::uint64_t least_step_ns = 1000;

/// In the order of the serial program.
[[nodiscard]] std::vector<measured_step> steps_of(task_tree const& timed);
/// Each step's shorter time of both recordings; a step that one of them lacks took no time there.
[[nodiscard]] std::vector<measured_step> shorter_steps(std::vector<measured_step> const& a,
                                                       std::vector<measured_step> const& b);
/// A tree without steps, and those of at least least_step_ns. Work O(nodes + steps).
[[nodiscard]] task_tree with_steps(task_tree const& program, std::vector<measured_step> const& steps);

}  // namespace skua::cli
