// SPDX-License-Identifier: MIT
#include "cli/experiment/arrays.hpp"

#include <algorithm>
#include <cstdint>
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

}  // namespace

task_tree with_aligned_arrays(task_tree const& program) {
  std::vector<array> const arrays = arrays_of(program);
  auto const moved = [&arrays](touch t) {
    auto const after = std::ranges::upper_bound(arrays, t.address, {}, &array::begin);
    if (after != arrays.begin()) t.address = std::prev(after)->moved_to + (t.address - std::prev(after)->begin);
    return t;
  };
  task_tree made;
  for (node_id i = 0; i < program.size(); ++i) {
    node const& n = program[i];
    if (i > 0) made.add(n.parent, n.kind, n.known);  // gets the same number
    made[i].flops = n.flops;
    made[i].ns = n.ns;
    for (std::uint32_t t = 0; t < n.touches; ++t) made.add_touch(i, moved(program.touches()[n.first_touch + t]));
  }
  return made;
}

}  // namespace skua::cli
