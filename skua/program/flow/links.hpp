// SPDX-License-Identifier: MIT
// Decides when a node of a flow is ready, while threads still add edges. States and proof: flow.md. links_model.cpp
// runs every schedule.
#pragma once

#include <atomic>
#include <cstdint>

#include "skua/parts/base/sync.hpp"

namespace skua { inline namespace v0 { namespace runtime {

template <class Node>
struct flow_edge {
  Node* successor;
  flow_edge* next;
};

/// The outcome of adding an edge.
enum class edge_state : std::uint8_t {
  waits,      ///< its end waits for its beginning
  satisfied,  ///< its beginning had finished
  ready,      ///< as satisfied, and its end is ready: the caller runs it
  begun,      ///< refused: its end may have begun
};

/// The part of a node that several threads touch. Node: `flow_links<Node, Sync> links`.
///
/// Invariant (own share): until it is sealed, a node waits for itself. Invariant (once): a node becomes ready once per
/// run, when its predecessors have finished and it is sealed; their writes are then visible.
template <class Node, synchronisation Sync = real_sync>
class flow_links {
 public:
  using edge = flow_edge<Node>;

  /// Adds `e`, which ends at `to`. Any thread, also while the flow runs.
  [[nodiscard]] edge_state add(edge& e, Node& to) noexcept {
    if (!to.links.wait_for_another()) return edge_state::begun;
    to.links.predecessors_.fetch_add(1, std::memory_order_relaxed);  // relaxed: read between runs
    e.successor = &to;
    // acquire: what this node did, if it has finished. Pairs with: finish
    std::uintptr_t seen = successors_.load(std::memory_order_acquire);
    std::uintptr_t wanted = 0;
    do {
      e.next = list_of(seen);
      wanted = reinterpret_cast<std::uintptr_t>(&e) | (seen & finished);
      // release: the edge. Pairs with: finish. acquire: as above
    } while (!successors_.compare_exchange_weak(seen, wanted, std::memory_order_acq_rel, std::memory_order_acquire));
    if ((seen & finished) == 0) return edge_state::waits;
    return to.links.arrive() ? edge_state::ready : edge_state::satisfied;
  }

  /// Ends the node's wait for itself: from now on only running predecessors add edges that end here. True: the caller
  /// runs the node.
  [[nodiscard]] bool seal() noexcept { return arrive(); }

  /// For a node that has run. Calls sees(edge) once, with the first of the edges that begin here, and then ready(node)
  /// for each node that has become ready.
  template <class Ready, class Sees>
  void finish(Ready&& ready, Sees&& sees) {
    // release: what the node did. Pairs with: add. acquire: the edges. Pairs with: add
    std::uintptr_t const all = successors_.fetch_or(finished, std::memory_order_acq_rel);
    sees(static_cast<edge const*>(list_of(all)));
    for (edge* e = list_of(all); e != nullptr;) {
      Node& to = *e->successor;
      e = e->next;  // after arrive() `to` may run, and the flow may end
      if (to.links.arrive()) ready(to);
    }
  }
  template <class Ready>
  void finish(Ready&& ready) {
    finish(ready, [](edge const*) {});
  }

  // Between runs; one thread.

  /// Prepares the next run: the node is sealed and waits for its predecessors. True: it has none.
  [[nodiscard]] bool arm() noexcept {
    std::uint32_t const n = predecessors();
    waits_for_.store(n, std::memory_order_relaxed);  // relaxed, here and below: between runs
    return n == 0;
  }
  /// Ends a run. Returns whether the node has finished; it waits for itself again.
  [[nodiscard]] bool disarm() noexcept {
    std::uintptr_t const all = successors_.load(std::memory_order_relaxed);
    successors_.store(all & ~finished, std::memory_order_relaxed);
    waits_for_.store(1, std::memory_order_relaxed);
    return (all & finished) != 0;
  }
  [[nodiscard]] std::uint32_t predecessors() const noexcept { return predecessors_.load(std::memory_order_relaxed); }
  [[nodiscard]] edge const* successors() const noexcept { return list_of(successors_.load(std::memory_order_relaxed)); }

 private:
  static constexpr std::uintptr_t finished = 1;
  static edge* list_of(std::uintptr_t word) noexcept { return reinterpret_cast<edge*>(word & ~finished); }

  /// Counts one more predecessor. False: the node may have begun.
  [[nodiscard]] bool wait_for_another() noexcept {
    std::uint32_t n = waits_for_.load(std::memory_order_relaxed);  // relaxed: arrive orders
    while (n != 0) {
      // relaxed: arrive orders
      if (waits_for_.compare_exchange_weak(n, n + 1, std::memory_order_relaxed, std::memory_order_relaxed)) return true;
    }
    return false;
  }
  [[nodiscard]] bool arrive() noexcept {
    // acq_rel: releases our side's effects to the last arrival; acquires the others' if we are the last. Pairs with:
    // itself
    return waits_for_.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }

  typename Sync::template atomic<std::uint32_t> waits_for_{1};  ///< unfinished predecessors; 1 for itself until sealed
  typename Sync::template atomic<std::uint32_t> predecessors_{0};
  typename Sync::template atomic<std::uintptr_t> successors_{
      0};  ///< the newest edge, and whether the node has finished
};

}}}  // namespace skua::v0::runtime
