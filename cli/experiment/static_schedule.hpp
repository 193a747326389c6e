// SPDX-License-Identifier: MIT
// OpenMP's static schedule, as a tree of tasks: what the paper's static loops do, without a loop.
#pragma once

#include <cstdint>

#include "skua/program/task_tree.hpp"

namespace skua::cli {

/// Every step of the root, one after the other, as one group of `workers` tasks of equal work, of which task i has the i-th
/// share of the step's leaves, in the serial order: played under adws:no-steal, worker i runs share i of every step. Hints
/// of the program are gone. Steps without leaves are left out. Work and space O(nodes + steps * workers).
[[nodiscard]] task_tree static_schedule(task_tree const& program, std::uint32_t workers);

}  // namespace skua::cli
