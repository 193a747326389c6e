// SPDX-License-Identifier: MIT
// The tree of steal ranges, shared by the workers of one region: which groups are open, over which workers, and whether
// their workers may steal from each other. [adws-sc19 4.3.1]
//
// A node belongs to the worker that met the group; an owner's nodes nest, so they are a stack. A parent is a node of
// the same owner further down, or the node under which the owner's search-root was migrated. Nobody holds pointers:
// a thief finds the ranges that cover it by looking (README.md, "who may steal").
#pragma once

#include <cstdint>
#include <memory_resource>
#include <optional>
#include <vector>

#include "skua/parts/base/assert.hpp"
#include "skua/parts/base/dice.hpp"
#include "skua/parts/base/ids.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/parts/base/sync.hpp"
#include "skua/policy/adws/range.hpp"

namespace skua::inline v0::policies::adws {

/// The number of a node, or `none`. Invariant (downwards): a parent's number is smaller than its child's, as its owner is
/// further right, or the same and the node lower in its stack.
using node_id = std::uint32_t;
inline constexpr node_id none = 0xffff'ffffU;

template <runtime::synchronisation Sync = runtime::real_sync>
class tree {
 public:
  /// Open groups of one owner's search; deeper ones are not divided. Enough for any sensible hints: each level halves
  /// or quarters a range, and 2^32 workers are not in sight.
  static constexpr std::uint32_t most_depth = 32;

  explicit tree(std::uint32_t workers, std::pmr::memory_resource* memory = std::pmr::get_default_resource())
      : owners_(workers, memory) {}

  /// A group with this range was met by `owner`, inside the group `parent`. Inactive. `none` if the owner has too many.
  /// Only by the one search of this owner (or by whoever brings the root, while nothing runs).
  node_id open(worker_id owner, range const& r, node_id parent) noexcept {
    auto& o = owners_[index(owner)];
    auto const depth = o.height.load(std::memory_order_relaxed);  // relaxed: only this search changes it
    if (depth == most_depth) return none;
    node_id const opened = index(owner) * most_depth + depth;
    runtime::invariant(parent == none || parent < opened, "downwards");
    node& n = o.nodes[depth];
    n.parent.store(parent, std::memory_order_relaxed);  // relaxed: followed only by those who are inside the group
    // release: the range after the end of the group before. Partner: active_range, between its two looks.
    n.where.store(packed(r), std::memory_order_release);
    o.height.store(depth + 1, std::memory_order_release);  // the node before it. Partner: topmost
    return opened;
  }

  /// Its workers may steal from each other. By whoever ends a search or a search-root inside it: the group is open.
  void activate(node_id id) noexcept {
    // relaxed: a permission; what may be taken is published by the lanes.
    if (id != none) at(id).is_active.store(true, std::memory_order_relaxed);
  }

  /// They may not any more. By the group's owner.
  void deactivate(node_id id) noexcept {
    if (id != none) at(id).is_active.store(false, std::memory_order_relaxed);  // relaxed: as activate
  }

  /// The group has ended: the youngest node of its owner.
  void close(node_id id) noexcept {
    if (id == none) return;
    // release: a look at the next range (open) that still sees this one active is seen through. Partner: active_range.
    at(id).is_active.store(false, std::memory_order_release);
    owners_[id / most_depth].height.store(id % most_depth, std::memory_order_relaxed);  // relaxed: as in open
  }

  /// Is this group, or one around it, active? By those who are inside of it.
  [[nodiscard]] bool active_from(node_id id) const noexcept {
    while (id != none) {
      node const& n = at(id);
      if (n.is_active.load(std::memory_order_relaxed)) return true;  // relaxed: a permission
      id = n.parent.load(std::memory_order_relaxed);                 // relaxed: written before we were inside
    }
    return false;
  }

  /// Is this group the other one, or inside of it? Any time: exact for those who are inside of `id`.
  [[nodiscard]] bool is_inside(node_id id, node_id of) const noexcept {
    // A parent's number is smaller, whatever becomes of it meanwhile: this ends.
    while (id != none && id > of) id = at(id).parent.load(std::memory_order_relaxed);  // relaxed: as in active_from
    return id == of;
  }

  /// A group, and its range.
  struct found {
    node_id id;
    range where;
  };
  /// The topmost active group whose range covers this worker and others; of two side by side, one of them by chance. Any
  /// time: an answer may be outdated when it is given. Cost: O(open groups of the workers at its right).
  [[nodiscard]] std::optional<found> topmost(worker_id w, runtime::dice& roll) const noexcept {
    std::optional<found> best;
    for (std::uint32_t o = index(w) + 1; o-- > 0;) {
      auto const height = owners_[o].height.load(std::memory_order_acquire);  // Partner: open
      for (std::uint32_t d = 0; d < height; ++d) {
        node_id const id = o * most_depth + d;
        std::optional<range> const r = active_range(id);
        if (!r || !r->spans() || !r->covers(index(w))) continue;
        if (!best || is_inside(best->id, id) || (!is_inside(id, best->id) && roll.below(2) == 0)) best = {id, *r};
      }
    }
    return best;
  }

 private:
  struct node {
    typename Sync::template atomic<bool> is_active{false};
    typename Sync::template atomic<node_id> parent{none};
    typename Sync::template atomic<std::uint64_t> where{0};
  };
  struct alignas(runtime::cache_line_bytes) owner_nodes {
    typename Sync::template atomic<std::uint32_t> height{0};
    node nodes[most_depth];
  };

  /// The range of a group that is open and active; a moment ago, it was.
  [[nodiscard]] std::optional<range> active_range(node_id id) const noexcept {
    node const& n = at(id);
    if (!n.is_active.load(std::memory_order_acquire)) return {};        // Partner: close
    range const r = unpacked(n.where.load(std::memory_order_acquire));  // before the second look. Partner: open
    // relaxed: if the range is a later group's, we have acquired the end of the one before; then this is the later one's.
    if (!n.is_active.load(std::memory_order_relaxed)) return {};
    return r;
  }

  [[nodiscard]] node& at(node_id id) noexcept { return owners_[id / most_depth].nodes[id % most_depth]; }
  [[nodiscard]] node const& at(node_id id) const noexcept { return owners_[id / most_depth].nodes[id % most_depth]; }

  std::pmr::vector<owner_nodes> owners_;
};

}  // namespace skua::inline v0::policies::adws
