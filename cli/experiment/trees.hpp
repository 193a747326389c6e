// SPDX-License-Identifier: MIT
// Where a recorded program's arrays lie is chance: the heap's state, address space layout randomization. Here they are laid
// out anew, so that the same program is the same in every process.
#pragma once

#include "skua/program/task_tree.hpp"

namespace skua::cli {

/// The same tree. Memory that touches cover without a gap is one array; arrays keep their order, and each begins at a
/// multiple of 2 MiB of its own. Work O(nodes + touches log touches).
[[nodiscard]] task_tree with_aligned_arrays(task_tree const& program);

}  // namespace skua::cli
