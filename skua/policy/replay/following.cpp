// SPDX-License-Identifier: MIT
#include "skua/policy/replay/following.hpp"

#include <algorithm>

namespace skua { inline namespace v0 { namespace policies { namespace replay {

void following::divide(tag_fields& group, std::uint32_t met_by) const noexcept {
  group.last = known_.find(key(fact::last, group.path)).value_or(0);
  group.mine_again = mine_at_the_end(group, met_by);
}

/// How many of the children before `last` the worker that meets the group runs itself, with only such children after
/// them: pieces that came home. They need not be sent.
std::uint16_t following::mine_at_the_end(tag_fields const& group, std::uint32_t met_by) const noexcept {
  child_owners owners(known_, group.path, met_by);
  std::uint32_t others = 0;
  for (std::uint32_t i = 0; i < group.last; ++i) {
    if (owners.next() != met_by) others = i + 1;
  }
  if (owners.rest() != met_by) return 0;
  return static_cast<std::uint16_t>(std::min<std::uint32_t>(group.last - others, 65'535));
}

/// True if a child of this worker goes into the worker's own lane, so that those after it are on their way before it
/// runs.
bool following::sends_own(tag_fields const& group, std::uint32_t child) noexcept {
  return child + 1 < group.last - group.mine_again;
}

tag_fields following::next_child(tag_fields& group, std::uint32_t self) noexcept {
  tag_fields c{.kind = kind::task,
               .breadth = group.breadth,
               .index = group.index,
               .path = mixed(group.path, group.index),
               .enclosing = group.path};
  std::uint16_t runs = group.owner;
  if (group.index < group.last) {
    if (auto const thief = thief_of(known_, fact::rest, c.path)) {
      runs = group.owner = static_cast<std::uint16_t>(*thief);
      placed_.add(1);
    }
    if (auto const thief = thief_of(known_, fact::child, c.path)) {
      runs = static_cast<std::uint16_t>(*thief);
      placed_.add(1);
    }
  }
  c.home = runs;
  c.is_sent = runs != self || sends_own(group, group.index);
  ++group.index;
  return c;
}

auto following::children_of(tag_fields const& group, std::uint64_t n, std::uint32_t met_by) const noexcept
    -> divided_children {
  divided_children found{.keeps = n > group.last};
  child_owners owners(known_, group.path, met_by);
  for (std::uint32_t i = 0; i < group.last; ++i) {
    if (owners.next() != met_by) {
      found.divides = true;
    } else if (!sends_own(group, i)) {
      found.keeps = true;
    }
  }
  return found;
}

/// A record with gaps cannot tell.
bool following::is_new(std::uint64_t group_path) const noexcept {
  return !known_.has_gaps() && !known_.find(key(fact::met, group_path));
}

bool following::leads_to_pieces(std::uint64_t task_path, bool is_pruning) const noexcept {
  auto const known = known_.find(key(fact::exposed, task_path));
  return known == stolen_below || (known == stolen_before_pruning && is_pruning);
}

bool following::opens_more_than(std::uint32_t groups, std::uint64_t task_path) const noexcept {
  return known_.find(key(fact::groups, task_path)).value_or(1) > groups;
}

void following::begin_iteration() noexcept {
  placed_.set(0);
  has_open_work_.set(false);
}

bool following::saw_another_tree(std::uint64_t pieces) const noexcept {
  bool const all_placed = known_.has_gaps() || placed_.get() == pieces;
  return !all_placed || has_open_work();
}

}}}}  // namespace skua::v0::policies::replay
