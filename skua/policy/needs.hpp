// SPDX-License-Identifier: MIT
// What a policy asks of its machine, said once, when its region opens. The machine builds and does nothing else.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "skua/policy/vocabulary.hpp"

namespace skua { inline namespace v0 { namespace policies {

/// The lanes that every machine has, because its own work needs them: `forks`, `spawned`, `inbox`, `injected`.
[[nodiscard]] constexpr bool is_built_always(lane l) noexcept {
  return l == lane::forks || l == lane::spawned || l == lane::inbox || l == lane::injected;
}

/// A set of lanes; those that every machine has are always in it.
class lane_set {
 public:
  constexpr lane_set() = default;
  constexpr lane_set(std::initializer_list<lane> all) noexcept {
    for (lane const l : all) bits_ |= bit(l);
  }
  [[nodiscard]] constexpr bool has(lane l) const noexcept { return is_built_always(l) || (bits_ & bit(l)) != 0; }
  friend constexpr lane_set operator|(lane_set a, lane_set const& b) noexcept {
    a.bits_ |= b.bits_;
    return a;
  }
  friend constexpr bool operator==(lane_set const&, lane_set const&) = default;

 private:
  static constexpr std::uint32_t bit(lane l) noexcept { return 1U << static_cast<unsigned>(l); }
  std::uint32_t bits_ = 0;
};

/// A policy pays only for the tasks that it asks about.
enum class which_tasks : std::uint8_t {
  none,
  nodes,  ///< spawned with an address, or able to run as a team, and without a strategy: mostly nodes of flows
  all,
};

/// True if a policy that asks about `asked` of the spawned tasks is asked about such a one.
[[nodiscard]] constexpr bool asks_about(which_tasks asked, bool has_address, bool may_be_team) noexcept {
  return asked == which_tasks::all || (asked == which_tasks::nodes && (has_address || may_be_team));
}
/// True if a policy that chooses `asked` of the tasks that a worker pops from its own lanes is asked about those of this lane.
[[nodiscard]] constexpr bool chooses_from(which_tasks asked, lane popped) noexcept {
  if (is_of_nodes(popped)) return asked != which_tasks::none;
  return asked == which_tasks::all && (popped == lane::spawned || popped == lane::local || popped == lane::migrated);
}

struct policy_needs {
  lane_set lanes{};  ///< in which this policy places tasks. A placement in another lane stays where it was asked
  /// `ended.duration_ns` is measured, and `team_ended` told: two readings of the clock per task. `nodes`: of tasks whose tag has a
  /// first word of a node.
  which_tasks times = which_tasks::none;
  /// `place(chosen)` is asked of tasks that their own worker pops from `spawned`, `local`, `migrated`, `next` or `nodes`.
  /// `nodes`: from the last two only.
  which_tasks chosen = which_tasks::none;
  which_tasks released =
      which_tasks::none;   ///< `place(released)`, `place(unblocked)` are asked of tasks of finish regions
  bool addresses = false;  ///< a flow without addresses may derive some for its nodes (program/flow/flow.md)
  bool critical = false;   ///< flows mark the types of nodes on their critical path (`runtime::on_critical_path`)
  bool rests = false;      ///< `rested` is told after every rest: the machine watches for first touches of memory
  bool strategies = true;  ///< strategies order the lane `ordered`; else it has the root's order
  /// Only tasks whose spawn declares a strategy enter `ordered`, and `ordered_here` is told. Else all tasks of finish regions do.
  bool declared_only = false;
  /// Before a pop of `ordered` the machine brings a more urgent task of another worker there, at most once in this time; 0: never
  std::uint32_t urgency_us = 0;
  friend constexpr bool operator==(policy_needs const&, policy_needs const&) = default;
};

/// True if a policy with these needs has written on the tag what it knows of the task's data, and what the task starts inherits.
[[nodiscard]] constexpr bool knows_data(policy_needs const& its, task_tag const& t) noexcept {
  return its.lanes.has(lane::nodes) ? t.node[0] != 0 || t.node[1] != 0 : t != task_tag{};
}

}}}  // namespace skua::v0::policies
