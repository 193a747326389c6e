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

/// Calls on one stack nest as its frames do: calls(child) .. next() .. next() = no_node, and for a group or scope that
/// next() has named: calls() of some of its children, one after the other, then over().
class unfolding {
 public:
  virtual ~unfolding() = default;

  /// What is known so far; grows in `next`.
  [[nodiscard]] virtual task_tree const& tree() const noexcept = 0;

  /// Its next step is the beginning of this task.
  virtual void calls(fiber_id stack, node_id task) = 0;
  /// The group or scope on top has ended: its next step is what comes after it.
  virtual void over(fiber_id stack) = 0;
  /// Go on until the task or scope body on top meets its next step; no_node: it has ended.
  virtual node_id next(fiber_id stack, worker_id on) = 0;
};

}  // namespace skua::sim
