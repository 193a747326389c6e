// SPDX-License-Identifier: MIT
// A program whose tree is found out while it is played: the engine asks it for its next step, one at a time, and tells
// it which child runs on which stack. live.hpp runs C++ behind it.
#pragma once

#include "skua/machine/sim/lanes.hpp"
#include "skua/parts/base/ids.hpp"
#include "skua/program/task_tree.hpp"

namespace skua::sim {

/// The step after this one is not known yet.
inline constexpr node_id unknown_step = no_node - 1;

/// Calls on one stack nest as its frames do: calls(task), next() .. next() = no_node. When next() has named a group or scope,
/// some of its children may be called on this stack, one after the other; the next() that is about the task again says
/// that the group has ended.
class unfolding {
 public:
  virtual ~unfolding() = default;

  /// What is known so far; grows in `next`.
  [[nodiscard]] virtual task_tree const& tree() const noexcept = 0;

  /// Its next step is the beginning of this task.
  virtual void calls(fiber_id stack, node_id task) = 0;
  /// Go on until the task or scope body on top meets its next step; no_node: it has ended.
  virtual node_id next(fiber_id stack, worker_id on) = 0;
};

}  // namespace skua::sim
