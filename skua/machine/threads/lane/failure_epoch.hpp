// SPDX-License-Identifier: MIT
// Asks a chain of nested groups whether one of them has failed, in constant amortised time. A node that was found clean
// remembers the epoch of that check, and each failure begins a new epoch. So until the next failure neither the node nor
// the nodes around it are checked again. Joins that are known to be stolen do the same (stolen_joins.hpp). failure_epoch_model.cpp
// runs every schedule.
#pragma once

#include <cstdint>

#include "skua/parts/base/sync.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// Counts failures. Sync is the real world, or the explorer's.
template <synchronisation Sync = real_sync>
class failure_epoch {
 public:
  [[nodiscard]] std::uint64_t now() const noexcept {
    return count_.load(std::memory_order_acquire);  // acquire: what failed before. Pairs with: begin_next
  }
  /// For a fiber that has linked groups under joins that may have failed: never returns a stale epoch. A thread that reads
  /// a later epoch also sees the links, because the next failure increments this one.
  [[nodiscard]] std::uint64_t latest() noexcept {
    // acquire: what failed before, as in now; release: the links. Pairs with: begin_next; now, in readers of the links
    return count_.fetch_add(0, std::memory_order_acq_rel);
  }
  /// Call it after the flag of the failure is set.
  void begin_next() noexcept {
    count_.fetch_add(1, std::memory_order_release);  // release: the flag. Pairs with: now, latest
  }

 private:
  typename Sync::template atomic<std::uint64_t> count_{1};
};

/// The epoch in which a node and all nodes around it were last found clean. Several threads may check at once.
template <synchronisation Sync = real_sync>
class clean_mark {
 public:
  // relaxed, both: a stale mark costs another check, and a reader of the present epoch has acquired what failed before.
  [[nodiscard]] bool is_set(std::uint64_t epoch) const noexcept {
    return epoch_.load(std::memory_order_relaxed) == epoch;
  }
  void set(std::uint64_t epoch) const noexcept { epoch_.store(epoch, std::memory_order_relaxed); }

 private:
  mutable typename Sync::template atomic<std::uint64_t> epoch_{0};
};

/// True if a node from `innermost` outwards has failed. A node has `outer`, `clean` (a clean_mark) and has_failed(epoch).
/// A failure may be missed only while it is being raised: a call after begin_next() has returned sees it.
template <class Node, class Epoch>
[[nodiscard]] bool any_failed(Node const* innermost, Epoch const& failures) noexcept {
  std::uint64_t const epoch = failures.now();
  Node const* n = innermost;
  for (; n != nullptr && !n->clean.is_set(epoch); n = n->outer) {
    if (n->has_failed(epoch)) return true;
  }
  for (Node const* seen = innermost; seen != n; seen = seen->outer) seen->clean.set(epoch);
  return false;
}

}}}  // namespace skua::v0::runtime
