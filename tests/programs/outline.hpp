// SPDX-License-Identifier: MIT
// Prints a task tree for people: one line per node, indented by depth.
#pragma once

#include <ostream>

#include "skua/program/task_tree.hpp"

namespace skua { inline namespace v0 {

constexpr char const* name_of(tree_node_kind k) noexcept {
  constexpr char const* names[] = {"task", "join", "each", "scope", "finish", "leaf", "step"};
  return names[static_cast<unsigned>(k)];
}

inline std::ostream& operator<<(std::ostream& out, task_tree const& tree) {
  std::vector<std::uint32_t> depth(tree.size(), 0);
  for (tree_node_id i = 0; i < tree.size(); ++i) {
    tree_node const& n = tree[i];
    if (i > 0) depth[i] = depth[n.parent] + 1;
    for (std::uint32_t d = 0; d < depth[i]; ++d) out << "  ";
    out << i << ' ' << name_of(n.kind);
    if (n.region != no_tree_node) out << " of " << n.region;
    if (n.hints.work) out << " work " << *n.hints.work;
    if (n.hints.place) out << " place " << index(*n.hints.place);
    if (n.flops != 0) out << ' ' << n.flops << " flops";
    if (n.ns != 0) out << ' ' << n.ns << " ns";
    for (std::uint32_t t = 0; t < n.touches; ++t) {
      touch const& what = tree.touches()[n.first_touch + t];
      out << (what.written ? " writes " : " reads ") << what.bytes * what.rows << " B";
    }
    out << '\n';
  }
  return out;
}

}}  // namespace skua::v0
