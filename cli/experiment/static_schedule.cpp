// SPDX-License-Identifier: MIT
#include "cli/experiment/static_schedule.hpp"

#include <vector>

namespace skua::cli {
namespace {

/// The leaves below `top`, in the order of the serial program. Nodes are numbered in preorder.
std::vector<node_id> leaves_below(task_tree const& of, node_id top) {
  node_id const end = of[top].next == no_node ? of.size() : of[top].next;
  std::vector<node_id> all;
  for (node_id i = top; i < end; ++i) {
    if (of[i].kind == node_kind::leaf) all.push_back(i);
  }
  return all;
}

void add_leaf(task_tree& to, node_id task, task_tree const& from, node_id leaf) {
  node_id const id = to.add(task, node_kind::leaf);
  to[id].flops = from[leaf].flops;
  to[id].ns = from[leaf].ns;
  for (std::uint32_t t = 0; t < from[leaf].touches; ++t) to.add_touch(id, from.touches()[from[leaf].first_touch + t]);
}

}  // namespace

task_tree static_schedule(task_tree const& program, std::uint32_t workers) {
  task_tree dealt;
  for (node_id step = program[0].first; step != no_node; step = program[step].next) {
    std::vector<node_id> const leaves = leaves_below(program, step);
    if (leaves.empty()) continue;
    node_id const group = dealt.add(0, node_kind::join);
    for (std::uint32_t w = 0; w < workers; ++w) {
      node_id const task = dealt.add(group, node_kind::task, as_hint(work{1}));
      std::size_t const begin = leaves.size() * w / workers;
      std::size_t const end = leaves.size() * (w + 1) / workers;
      for (std::size_t i = begin; i < end; ++i) add_leaf(dealt, task, program, leaves[i]);
    }
  }
  return dealt;
}

}  // namespace skua::cli
