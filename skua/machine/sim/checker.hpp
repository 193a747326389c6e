// SPDX-License-Identifier: MIT
// The laws that every finished simulation obeys, under any cost model.
#pragma once

#include <string>
#include <vector>

#include "skua/machine/sim/simulator.hpp"
#include "skua/parts/topology/layout.hpp"
#include "skua/program/task_tree.hpp"

namespace skua { inline namespace v0 { namespace sim {

/// True for the nodes that a worker begins; groups and scopes are not begun themselves.
constexpr bool is_run(tree_node_kind k) noexcept {
  return k == tree_node_kind::task || k == tree_node_kind::leaf || k == tree_node_kind::step;
}

/// The broken laws, one line each: every task, leaf and fiber was begun once, within the time of its task; no worker
/// was busy for longer than the program took; T_P >= T_1 / P and T_P >= T_inf, with this run's time for each node (the
/// burden of scheduling is not in T_1 and T_inf); the counts of steals agree. Cost: O(nodes + workers).
std::vector<std::string> broken_laws(run_result const& result, task_tree const& program, layout const& where);

/// What this run took for a node itself: leaves and fibers as they ran; a task's own price cannot be told from what runs in
/// it, and counts as nothing.
double taken_by(run_result const& result, task_tree const& program, tree_node_id id);

/// What is wrong with a finished run: a task not run exactly once, an impossible time, on one worker another order or
/// time than the serial program's, a steal over a distance that the layout does not have. Cost: O(nodes).
std::vector<std::string> faults_of(run_result const& result, task_tree const& program, layout const& where,
                                   rules const& by = {});

/// The order in which one worker begins tasks, leaves and fibers: as the serial program does, except that the tasks
/// of a scope come after its body, the newest first.
std::vector<tree_node_id> order_on_one_worker(task_tree const& program);

/// Work and span in ticks, forks included.
totals weigh(task_tree const& program, rules const& by);

}}}  // namespace skua::v0::sim
