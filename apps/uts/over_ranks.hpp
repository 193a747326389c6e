// SPDX-License-Identifier: MIT
// UTS as a task collection: a node with children is a task, and spawns those of its children that have children.
#pragma once

#include "apps/ranks_plan.hpp"
#include "apps/uts/tree.hpp"

namespace skua::apps::uts {

/// Collective. The counts of the whole tree, on every rank.
[[nodiscard]] tally over_ranks(communicator& world, tree const& which, ranks_plan const& plan);

}  // namespace skua::apps::uts
