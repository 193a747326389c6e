// SPDX-License-Identifier: MIT
// The tree of steal ranges, shared by the workers of one region: which groups are open, over which workers, and whether
// their workers may steal from each other. [adws-sc19 4.3.1]
//
// A node belongs to the worker that met the group; an owner's nodes nest, so they are a stack. A parent is a node of
// the same owner further down, or the node under which the owner's search-root was migrated. Nobody holds pointers:
// a thief finds the ranges that cover it by looking (range_search.hpp).
#pragma once

#include <cstdint>
#include <memory_resource>
#include <optional>
#include <vector>

#include "skua/parts/base/assert.hpp"
#include "skua/parts/base/ids.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/parts/base/sync.hpp"
#include "skua/policy/adws/range.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace adws {

/// The number of a node, or `none`. Invariant (downwards): a parent's number is smaller than its child's, as its owner is
/// further right, or the same and the node lower in its stack.
using node_id = std::uint32_t;
inline constexpr node_id none = 0xffff'ffffU;

/// A group. Groups whose ranges are almost the same share a node: level 0 has opened it, and level k + 1 was met by a task
/// of level k on the same worker.
struct group_id {
  node_id node = none;
  std::uint32_t level = 0;
  friend constexpr bool operator==(group_id const&, group_id const&) = default;
};

template <runtime::synchronisation Sync = runtime::real_sync>
class tree {
 public:
  /// A group met inside another one shares its node if it has more than this part of its range: whoever steals there sees
  /// a third more workers at most. So a spine of forks, each with a leaf and all the rest, needs few nodes.
  static constexpr double shared_from = 0.75;
  /// Nodes of one owner's search. Each has at most `shared_from` of the range of the one below, and a range that spans
  /// workers is at least 2 * least_share wide: 54 nodes lead from 65535 workers to that. A deeper group is not divided.
  static constexpr std::uint32_t most_depth = 64;

  explicit tree(std::uint32_t workers, std::pmr::memory_resource* memory = std::pmr::get_default_resource())
      : owners_(workers, memory) {}

  /// A group with this range was met by `owner`, inside the group `parent`. Inactive. No node if the owner has too many.
  /// Only by the one search of this owner (or by whoever brings the root, while nothing runs).
  group_id open(worker_id owner, range const& r, group_id parent) noexcept {
    auto& o = owners_[index(owner)];
    auto const depth = o.height.load(std::memory_order_relaxed);  // relaxed: only this search changes it
    if (depth == most_depth) return {};
    node_id const opened = index(owner) * most_depth + depth;
    runtime::invariant(parent.node == none || parent.node < opened, "downwards");
    node& n = o.nodes[depth];
    n.parent.store(packed_group(parent),
                   std::memory_order_relaxed);  // relaxed: followed only by those inside the group
    // release: the range after the end of the group before. Partner: active_range, between its two looks.
    n.where.store(packed(r), std::memory_order_release);
    o.height.store(depth + 1, std::memory_order_release);  // the node before it. Partner: youngest
    return {.node = opened};
  }

  /// The same for a group that may share the node of the group around it.
  group_id nest(worker_id owner, range const& r, group_id parent) noexcept {
    if (shares(owner, r, parent.node)) return {.node = parent.node, .level = parent.level + 1};
    return open(owner, r, parent);
  }

  /// Its workers may steal from each other. By whoever ends a search or a search-root inside it: the group is open.
  void activate(group_id g) noexcept {
    if (g.node == none) return;
    auto& active_at = at(g.node).active_at;
    // relaxed, all: a permission; what may be taken is published by the lanes.
    auto seen = active_at.load(std::memory_order_relaxed);
    while (g.level < seen &&
           !active_at.compare_exchange_weak(seen, g.level, std::memory_order_relaxed, std::memory_order_relaxed)) {}
  }

  /// Neither this group nor those inside of it in the same node are active any more. By the group's owner.
  void deactivate(group_id g) noexcept {
    if (g.node == none) return;
    auto& active_at = at(g.node).active_at;
    auto seen = active_at.load(std::memory_order_relaxed);  // relaxed, all: as in activate
    while (seen != inactive && seen >= g.level &&
           !active_at.compare_exchange_weak(seen, inactive, std::memory_order_relaxed, std::memory_order_relaxed)) {}
  }

  /// The group has ended: the youngest of its owner.
  void close(group_id g) noexcept {
    if (g.node == none) return;
    if (g.level > 0) return deactivate(g);
    // release: a look at the next range (open) that still sees this one active is seen through. Partner: active_range.
    at(g.node).active_at.store(inactive, std::memory_order_release);
    owners_[g.node / most_depth].height.store(g.node % most_depth, std::memory_order_relaxed);  // relaxed: as in open
  }

  /// Is this group, or one around it, active? By those who are inside of it.
  [[nodiscard]] bool active_from(group_id g) const noexcept {
    while (g.node != none) {
      node const& n = at(g.node);
      if (n.active_at.load(std::memory_order_relaxed) <= g.level) return true;  // relaxed: a permission
      g = unpacked_group(n.parent.load(std::memory_order_relaxed));  // relaxed: written before we were inside
    }
    return false;
  }

  /// Is a group of this node in the other node, or inside of it? Any time: exact for those who are inside of `id`.
  [[nodiscard]] bool is_inside(node_id id, node_id of) const noexcept {
    // A parent's number is smaller, whatever becomes of it meanwhile: this ends.
    while (id != none && id > of) id = parent_of(id);
    return id == of;
  }

  /// A node, and its range.
  struct found {
    node_id id;
    range where;
  };

  /// The next node around this one that has more workers, active or not; none if there is none. By those who are inside
  /// of it, or with an answer that may be outdated. Calls `reads` as topmost_around.
  template <class Reads>
  [[nodiscard]] std::optional<found> wider_than(found const& f, Reads&& reads) const noexcept {
    for (node_id id = parent_of(f.id); id != none; id = parent_of(id)) {
      reads(id);
      range const r = unpacked(at(id).where.load(std::memory_order_relaxed));  // relaxed: of an open group, it stays
      if (r.covers(f.where.owner()) && r.covers(f.where.leftmost()) &&
          r.leftmost() - r.owner() > f.where.leftmost() - f.where.owner())
        return found{id, r};
    }
    return {};
  }

  /// For those who count the cache lines that they read: the owner of a node, and a word that changes with what a thief reads
  /// there (and, once in 2^64 times, does not).
  [[nodiscard]] static worker_id owner_of(node_id id) noexcept { return worker_id{id / most_depth}; }
  [[nodiscard]] std::uint64_t content(node_id id) const noexcept {
    node const& n = at(id);
    // relaxed, all: for statistics
    return n.where.load(std::memory_order_relaxed) * 0x9e37'79b9'7f4a'7c15 ^
           n.parent.load(std::memory_order_relaxed) * 0xff51'afd7'ed55'8ccd ^
           n.active_at.load(std::memory_order_relaxed);
  }

  /// The youngest open node of this owner; none if it has no open group. Any time: may be outdated when it is given.
  [[nodiscard]] node_id youngest(worker_id owner) const noexcept {
    auto const height = owners_[index(owner)].height.load(std::memory_order_acquire);  // Partner: open
    return height == 0 ? none : index(owner) * most_depth + height - 1;
  }

  /// The topmost active node whose range covers worker `w` and others, among `from` and the nodes around it. Any time: an
  /// answer may be outdated when it is given, and `from` may have been closed, and opened again for another group.
  /// Calls `reads(node)` for every node that it looks at. Cost: O(nodes around `from`).
  template <class Reads>
  [[nodiscard]] std::optional<found> topmost_around(node_id from, worker_id w, Reads&& reads) const noexcept {
    std::optional<found> best;
    // A parent's number is smaller, whatever becomes of it meanwhile: this ends.
    for (node_id id = from; id != none; id = parent_of(id)) {
      reads(id);
      std::optional<range> const r = active_range(id);
      if (r && r->spans() && r->covers(index(w))) best = {id, *r};
    }
    return best;
  }

 private:
  static constexpr std::uint32_t inactive = 0xffff'ffffU;
  static constexpr std::uint64_t packed_group(group_id g) noexcept { return std::uint64_t{g.level} << 32 | g.node; }
  static constexpr group_id unpacked_group(std::uint64_t word) noexcept {
    return {.node = static_cast<node_id>(word), .level = static_cast<std::uint32_t>(word >> 32)};
  }

  struct node {
    typename Sync::template atomic<std::uint64_t> parent{packed_group({})};
    typename Sync::template atomic<std::uint64_t> where{0};
    typename Sync::template atomic<std::uint32_t> active_at{inactive};  ///< the lowest level that is active
  };
  struct alignas(runtime::cache_line_bytes) owner_nodes {
    typename Sync::template atomic<std::uint32_t> height{0};
    node nodes[most_depth];
  };

  /// Only by the search of this owner, as open.
  [[nodiscard]] bool shares(worker_id owner, range const& r, node_id with) const noexcept {
    // relaxed, both: only this search changes them.
    auto const height = owners_[index(owner)].height.load(std::memory_order_relaxed);
    if (height == 0 || with != index(owner) * most_depth + height - 1) return false;
    return r.width() > shared_from * unpacked(at(with).where.load(std::memory_order_relaxed)).width();
  }

  /// The range of a node that is open and active; a moment ago, it was.
  [[nodiscard]] std::optional<range> active_range(node_id id) const noexcept {
    node const& n = at(id);
    if (n.active_at.load(std::memory_order_acquire) == inactive) return {};  // Partner: close
    range const r = unpacked(n.where.load(std::memory_order_acquire));       // before the second look. Partner: open
    // relaxed: if the range is a later group's, we have acquired the end of the one before; then this is the later one's.
    if (n.active_at.load(std::memory_order_relaxed) == inactive) return {};
    return r;
  }

  [[nodiscard]] node_id parent_of(node_id id) const noexcept {
    return unpacked_group(at(id).parent.load(std::memory_order_relaxed)).node;  // relaxed: as in active_from
  }

  [[nodiscard]] node& at(node_id id) noexcept { return owners_[id / most_depth].nodes[id % most_depth]; }
  [[nodiscard]] node const& at(node_id id) const noexcept { return owners_[id / most_depth].nodes[id % most_depth]; }

  std::pmr::vector<owner_nodes> owners_;
};

}}}}  // namespace skua::v0::policies::adws
