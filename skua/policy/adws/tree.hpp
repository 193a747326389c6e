// SPDX-License-Identifier: MIT
// The tree of steal ranges, shared by the workers of one region: which groups are open, over which workers, and whether
// their workers may steal from each other. [adws-sc19 4.3.1]
//
// A node belongs to the worker that met the group. An owner's nodes nest, so they form a stack. A parent is a node of
// the same owner further down, or the node under which the owner's search-root was migrated. Nobody holds pointers: a
// thief searches for the ranges that cover it (range_search.hpp).
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

/// The number of a node, or `none`. Invariant (downwards): a parent's number is smaller than its child's, because its
/// owner is further right, or the same with the node lower in its stack.
using node_id = std::uint32_t;
inline constexpr node_id none = 0xffff'ffffU;

/// A group. Groups with almost the same range share a node: level 0 opened it, and a task of level k met level k + 1 on
/// the same worker.
struct group_id {
  node_id node = none;
  std::uint32_t level = 0;
  friend constexpr bool operator==(group_id const&, group_id const&) = default;
};

template <runtime::synchronisation Sync = runtime::real_sync>
class tree {
 public:
  /// A nested group shares the node of the enclosing group if it has more than this fraction of its range: a thief
  /// there sees at most a third more workers. So a spine of forks, each with a leaf and the rest, needs few nodes.
  static constexpr double shared_from = 0.75;
  /// Nodes of one owner's search. Each has at most `shared_from` of the range of the one below, and a range that spans
  /// workers is at least 2 * least_share wide: 54 nodes lead from 65535 workers to that. A deeper group is not divided.
  static constexpr std::uint32_t most_depth = 64;

  explicit tree(std::uint32_t workers, std::pmr::memory_resource* memory = std::pmr::get_default_resource())
      : owners_(workers, memory) {}

  /// Opens an inactive group with this range, which `owner` met inside the group `parent`. Returns no node if the owner
  /// has too many. Called only by this owner's one search, or by the worker that brings the root while nothing runs.
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
    n.packed_range.store(packed(r), std::memory_order_release);
    o.height.store(depth + 1, std::memory_order_release);  // the node before it. Partner: youngest
    return {.node = opened};
  }

  /// Opens a group that may share the node of the enclosing group.
  group_id nest(worker_id owner, range const& r, group_id parent) noexcept {
    if (shares(owner, r, parent.node)) return {.node = parent.node, .level = parent.level + 1};
    return open(owner, r, parent);
  }

  /// Lets the group's workers steal from each other. Called by the worker that ends a search or a search-root inside
  /// the open group.
  void activate(group_id g) noexcept {
    if (g.node == none) return;
    auto& active_at = at(g.node).active_at;
    // relaxed, all: a permission; what may be taken is published by the lanes.
    auto seen = active_at.load(std::memory_order_relaxed);
    while (g.level < seen &&
           !active_at.compare_exchange_weak(seen, g.level, std::memory_order_relaxed, std::memory_order_relaxed)) {}
  }

  /// Deactivates this group and those inside it in the same node. Called by the group's owner.
  void deactivate(group_id g) noexcept {
    if (g.node == none) return;
    auto& active_at = at(g.node).active_at;
    auto seen = active_at.load(std::memory_order_relaxed);  // relaxed, all: as in activate
    while (seen != inactive && seen >= g.level &&
           !active_at.compare_exchange_weak(seen, inactive, std::memory_order_relaxed, std::memory_order_relaxed)) {}
  }

  /// Closes a group, the youngest of its owner.
  void close(group_id g) noexcept {
    if (g.node == none) return;
    if (g.level > 0) return deactivate(g);
    // release: active_range notices if it reads the next range (open) while this group still looks active. Partner:
    // active_range.
    at(g.node).active_at.store(inactive, std::memory_order_release);
    owners_[g.node / most_depth].height.store(g.node % most_depth, std::memory_order_relaxed);  // relaxed: as in open
  }

  /// True if this group, or one around it, is active. Called by tasks inside the group.
  [[nodiscard]] bool active_from(group_id g) const noexcept {
    while (g.node != none) {
      node const& n = at(g.node);
      if (n.active_at.load(std::memory_order_relaxed) <= g.level) return true;  // relaxed: a permission
      g = unpacked_group(n.parent.load(std::memory_order_relaxed));  // relaxed: written before we were inside
    }
    return false;
  }

  /// True if a group of node `id` is in the other node, or inside it. Any time; exact for tasks inside `id`.
  [[nodiscard]] bool is_inside(node_id id, node_id other) const noexcept {
    // Terminates: a parent's number is smaller, however the parent changes meanwhile.
    while (id != none && id > other) id = parent_of(id);
    return id == other;
  }

  /// A node, and its range.
  struct found {
    node_id id;
    adws::range range;
  };

  /// The next node around this one that has more workers, active or not; none if there is none. Exact for tasks inside
  /// the node; else the answer may be outdated. Calls `reads` as topmost_around does.
  template <class Reads>
  [[nodiscard]] std::optional<found> wider_than(found const& f, Reads&& reads) const noexcept {
    for (node_id id = parent_of(f.id); id != none; id = parent_of(id)) {
      reads(id);
      range const r =
          unpacked(at(id).packed_range.load(std::memory_order_relaxed));  // relaxed: of an open group, it stays
      if (r.covers(f.range.owner()) && r.covers(f.range.leftmost()) &&
          r.leftmost() - r.owner() > f.range.leftmost() - f.range.owner())
        return found{id, r};
    }
    return {};
  }

  /// The innermost open node whose range covers worker `w` and others, active or not, among `from` and the nodes around it. Any
  /// time, and with `reads`, as topmost_around.
  template <class Reads>
  [[nodiscard]] std::optional<found> innermost_open_around(node_id from, worker_id w, Reads&& reads) const noexcept {
    // Terminates: a parent's number is smaller, however the parent changes meanwhile.
    for (node_id id = from; id != none; id = parent_of(id)) {
      reads(id);
      // relaxed, both: an outdated answer costs locality only
      if (owners_[id / most_depth].height.load(std::memory_order_relaxed) <= id % most_depth) continue;
      range const r = unpacked(at(id).packed_range.load(std::memory_order_relaxed));
      if (r.spans() && r.covers(index(w))) return found{id, r};
    }
    return {};
  }

  /// For callers that count the cache lines that they read: the owner of a node, and a word that changes whenever a
  /// field that thieves read there changes (but for once in 2^64 times).
  [[nodiscard]] static worker_id owner_of(node_id id) noexcept { return worker_id{id / most_depth}; }
  [[nodiscard]] std::uint64_t content(node_id id) const noexcept {
    node const& n = at(id);
    // relaxed, all: for statistics
    return n.packed_range.load(std::memory_order_relaxed) * 0x9e37'79b9'7f4a'7c15 ^
           n.parent.load(std::memory_order_relaxed) * 0xff51'afd7'ed55'8ccd ^
           n.active_at.load(std::memory_order_relaxed);
  }

  /// The youngest open node of this owner; none if it has no open group. Any time: may be outdated when it is returned.
  [[nodiscard]] node_id youngest(worker_id owner) const noexcept {
    auto const height = owners_[index(owner)].height.load(std::memory_order_acquire);  // Partner: open
    return height == 0 ? none : index(owner) * most_depth + height - 1;
  }

  /// The topmost active node whose range covers worker `w` and others, among `from` and the nodes around it. Any time:
  /// the answer may be outdated when it is returned, and `from` may have been closed and opened again for another
  /// group.
  /// Calls `reads(node)` for every node that it looks at. Cost: O(nodes around `from`).
  template <class Reads>
  [[nodiscard]] std::optional<found> topmost_around(node_id from, worker_id w, Reads&& reads) const noexcept {
    std::optional<found> best;
    // Terminates: a parent's number is smaller, however the parent changes meanwhile.
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
    typename Sync::template atomic<std::uint64_t> packed_range{0};
    typename Sync::template atomic<std::uint32_t> active_at{inactive};  ///< the lowest level that is active
  };
  struct alignas(runtime::cache_line_bytes) owner_nodes {
    typename Sync::template atomic<std::uint32_t> height{0};
    node nodes[most_depth];
  };

  /// Called only by this owner's search, like open.
  [[nodiscard]] bool shares(worker_id owner, range const& r, node_id candidate) const noexcept {
    // relaxed, both: only this search changes them.
    auto const height = owners_[index(owner)].height.load(std::memory_order_relaxed);
    if (height == 0 || candidate != index(owner) * most_depth + height - 1) return false;
    return r.width() > shared_from * unpacked(at(candidate).packed_range.load(std::memory_order_relaxed)).width();
  }

  /// The range of a node that is open and active, or was a moment ago.
  [[nodiscard]] std::optional<range> active_range(node_id id) const noexcept {
    node const& n = at(id);
    if (n.active_at.load(std::memory_order_acquire) == inactive) return {};    // Partner: close
    range const r = unpacked(n.packed_range.load(std::memory_order_acquire));  // before the second look. Partner: open
    // relaxed: a later group's range was stored after the earlier group's end, which we have acquired; so this reads
    // the later one's.
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
