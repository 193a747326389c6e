// SPDX-License-Identifier: MIT
#include "cli/simulate/steps.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace skua::cli {
namespace {

std::pair<tree_node_id, tree_node_id> position(measured_step const& s) { return {s.before, s.parent}; }

void copy_node(task_tree& to, tree_node_id id, task_tree const& from, tree_node_id node) {
  tree_node const& n = from[node];
  to[id].flops = n.flops;
  to[id].ns = n.ns;
  for (std::uint32_t t = 0; t < n.touches; ++t) to.add_touch(id, from.touches()[n.first_touch + t]);
}

}  // namespace

std::vector<measured_step> steps_of(task_tree const& timed) {
  std::vector<measured_step> all;
  std::vector<tree_node_id> place(timed.size());  // of a node, not counting steps
  tree_node_id before = 0;
  for (tree_node_id i = 0; i < timed.size(); ++i) {
    place[i] = before;
    if (timed[i].kind == tree_node_kind::step) {
      all.push_back({.before = before, .parent = place[timed[i].parent], .ns = timed[i].ns});
    } else {
      ++before;
    }
  }
  return all;
}

std::vector<measured_step> shorter_steps(std::vector<measured_step> const& a, std::vector<measured_step> const& b) {
  std::map<std::pair<tree_node_id, tree_node_id>, std::uint64_t> in_b;
  for (measured_step const& s : b) in_b.emplace(position(s), s.ns);
  std::vector<measured_step> both;
  for (measured_step const& s : a) {
    auto const found = in_b.find(position(s));
    if (found != in_b.end())
      both.push_back({.before = s.before, .parent = s.parent, .ns = std::min(s.ns, found->second)});
  }
  return both;
}

task_tree with_steps(task_tree const& program, std::vector<measured_step> const& steps) {
  task_tree made;
  std::vector<tree_node_id> now(program.size());
  auto next = steps.begin();
  for (tree_node_id i = 0; i <= program.size(); ++i) {
    for (; next != steps.end() && next->before == i; ++next) {
      if (next->ns >= least_step_ns) made[made.add(now[next->parent], tree_node_kind::step)].ns = next->ns;
    }
    if (i == program.size()) break;
    tree_node const& n = program[i];
    if (i > 0) {
      now[i] = n.region == no_tree_node ? made.add(now[n.parent], n.kind, n.hints)
                                        : made.add_spawned(now[n.parent], now[n.region], n.hints);
    }
    copy_node(made, now[i], program, i);
  }
  for (task_tree::mark const& m : program.marks()) {
    if (m.before < program.size()) made.add_mark({now[m.before], m.name, m.number});
  }
  return made;
}

}  // namespace skua::cli
