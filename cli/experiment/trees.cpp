// SPDX-License-Identifier: MIT
#include "cli/experiment/trees.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace skua::cli {
namespace {

constexpr std::uintptr_t alignment = std::uintptr_t{2} << 20;

struct array {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  std::uintptr_t moved_to = 0;
};

std::uintptr_t end_of(touch const& t) {
  return t.rows == 0 ? t.address : t.address + (t.rows - 1) * t.stride + t.bytes;
}

std::vector<array> arrays_of(task_tree const& program) {
  std::vector<array> all;
  for (touch const& t : program.touches()) {
    if (end_of(t) > t.address) all.push_back({.begin = t.address, .end = end_of(t)});
  }
  for (owned_range const& r : program.owned())
    all.push_back({.begin = r.address, .end = r.address + r.bytes, .moved_to = 0});
  std::ranges::sort(all, {}, &array::begin);
  std::vector<array> joined;
  for (array const& a : all) {
    if (joined.empty() || a.begin > joined.back().end) {
      joined.push_back(a);
    } else {
      joined.back().end = std::max(joined.back().end, a.end);
    }
  }
  std::uintptr_t next = alignment;
  for (array& a : joined) {
    a.moved_to = next;
    next += (a.end - a.begin + alignment) / alignment * alignment;
  }
  return joined;
}

/// The leaves below `top`, in the order of the serial program. Nodes are numbered in preorder.
std::vector<tree_node_id> leaves_below(task_tree const& of, tree_node_id top) {
  tree_node_id const end = of[top].next == no_tree_node ? of.size() : of[top].next;
  std::vector<tree_node_id> all;
  for (tree_node_id i = top; i < end; ++i) {
    if (of[i].kind == tree_node_kind::leaf) all.push_back(i);
  }
  return all;
}

void add_leaf(task_tree& to, tree_node_id task, task_tree const& from, tree_node_id leaf) {
  tree_node_id const id = to.add(task, tree_node_kind::leaf);
  to[id].flops = from[leaf].flops;
  to[id].ns = from[leaf].ns;
  for (std::uint32_t t = 0; t < from[leaf].touches; ++t) to.add_touch(id, from.touches()[from[leaf].first_touch + t]);
}

}  // namespace

task_tree with_aligned_arrays(task_tree const& program) {
  std::vector<array> const arrays = arrays_of(program);
  auto const moved = [&arrays](auto range) {
    auto const after = std::ranges::upper_bound(arrays, range.address, {}, &array::begin);
    if (after != arrays.begin()) range.address = std::prev(after)->moved_to + (range.address - std::prev(after)->begin);
    return range;
  };
  task_tree made;
  for (tree_node_id i = 0; i < program.size(); ++i) {
    tree_node const& n = program[i];
    if (i > 0) made.add(n.parent, n.kind, n.hints);  // keeps its number
    made[i].flops = n.flops;
    made[i].ns = n.ns;
    for (std::uint32_t t = 0; t < n.touches; ++t) made.add_touch(i, moved(program.touches()[n.first_touch + t]));
  }
  std::vector<owned_range> owned;
  for (owned_range const& r : program.owned()) owned.push_back(moved(r));
  made.set_owned(std::move(owned));
  return made;
}

task_tree static_schedule(task_tree const& program, std::uint32_t workers) {
  task_tree dealt;
  for (tree_node_id step = program[0].first; step != no_tree_node; step = program[step].next) {
    std::vector<tree_node_id> const leaves = leaves_below(program, step);
    if (leaves.empty()) continue;
    tree_node_id const group = dealt.add(0, tree_node_kind::join);
    for (std::uint32_t w = 0; w < workers; ++w) {
      tree_node_id const task = dealt.add(group, tree_node_kind::task, as_hint(work{1}));
      std::size_t const begin = leaves.size() * w / workers;
      std::size_t const end = leaves.size() * (w + 1) / workers;
      for (std::size_t i = begin; i < end; ++i) add_leaf(dealt, task, program, leaves[i]);
    }
  }
  return dealt;
}

}  // namespace skua::cli
