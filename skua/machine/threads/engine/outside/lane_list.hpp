// SPDX-License-Identifier: MIT
// The lanes of threads from outside, as seen by workers that search or are about to sleep. A lane stays in the list as long as its region
// lives: outside_lane.md.
#pragma once

#include <atomic>

#include "skua/parts/base/sync.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// `Lane` has a member `next` and a deque `tasks`. One thread at a time links lanes, any thread looks.
template <class Lane, synchronisation Sync = real_sync>
class lane_list {
 public:
  /// For workers that search for tasks; they follow `next`.
  [[nodiscard]] Lane* first() const noexcept {
    return first_.load(std::memory_order_acquire);  // acquire: the lanes. Pairs with: link, store
  }
  /// Before the first push to this lane, whose `next` is `newest()`.
  void link(Lane& made) noexcept {
    // release: the lane. Pairs with: first, load; looks_empty. The owner's fence before its look at the sleepers (P3) announces it.
    first_.store(&made, std::memory_order_release);
  }
  [[nodiscard]] Lane* newest() const noexcept {
    return first_.load(std::memory_order_relaxed);  // relaxed: only the thread that links lanes calls it
  }
  [[nodiscard]] bool looks_empty() const noexcept {
    // seq_cst: a sleeper has announced itself before. Pairs with: P3, after link.
    return first_.load_hint(std::memory_order_seq_cst) == nullptr || all_look_empty();
  }

 private:
  [[nodiscard]] bool all_look_empty() const noexcept {
    // seq_cst: as in looks_empty
    for (Lane* lane = first_.load(std::memory_order_seq_cst); lane != nullptr; lane = lane->next) {
      if (!lane->tasks.outside().looks_empty()) return false;
    }
    return true;
  }

  typename Sync::template atomic<Lane*> first_{nullptr};
};

}}}  // namespace skua::v0::runtime
