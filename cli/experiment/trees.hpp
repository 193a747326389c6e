// SPDX-License-Identifier: MIT
// Task trees that are made from a recorded one: with arrays at fixed addresses, and as OpenMP would schedule it
// statically.
#pragma once

#include <cstdint>

#include "skua/program/task_tree.hpp"

namespace skua::cli {

/// The same tree with its arrays laid out anew. The addresses of a recorded program depend on the heap's state and on
/// address space layout randomization; these do not, so the same program gives the same tree in every process. Memory
/// that touches cover without a gap is one array; arrays keep their order, and each begins at a multiple of 2 MiB of
/// its own. Work O(nodes + touches log touches).
[[nodiscard]] task_tree with_aligned_arrays(task_tree const& program);

/// OpenMP's static schedule as a tree of tasks. Every step of the root becomes one group of `workers` tasks of equal
/// work, of which task i has the i-th share of the step's leaves, in the serial order: under adws:no-steal, worker i
/// runs share i of every step. The steps follow each other. Hints of the program and steps without leaves are left out.
/// Work and space O(nodes + steps * workers).
[[nodiscard]] task_tree static_schedule(task_tree const& program, std::uint32_t workers);

}  // namespace skua::cli
