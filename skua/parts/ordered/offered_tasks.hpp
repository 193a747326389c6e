// SPDX-License-Identifier: MIT
// The tasks of a store that its owner has offered to the other workers: the newest few. A thief takes such a task
// directly, in O(1), without an order of its own. Rules: urgency_board.md.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>

#include "skua/parts/base/sync.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// `Slot`: of an ordered store. The owner adds; it clears, and thieves read, under the store's lock.
template <class Slot, synchronisation Sync, std::size_t Capacity = 4>
class offered_tasks {
 public:
  void add(Slot& s) noexcept {
    std::size_t const at = (newest_.load(std::memory_order_relaxed) + 1) % Capacity;  // relaxed: our own
    slots_[at].store(&s, std::memory_order_release);  // the slot is filled. Pairs with: newest
    newest_.store(at, std::memory_order_relaxed);     // relaxed: a hint
  }
  void clear() noexcept {
    for (auto& s : slots_) s.store(nullptr, std::memory_order_relaxed);  // relaxed: the lock publishes it
  }
  /// The newest one that is wanted, or null. While the owner adds, an older one may seem to be the newest.
  template <class Wanted>
  [[nodiscard]] Slot* newest(Wanted&& wanted) const noexcept {
    std::size_t const first = newest_.load(std::memory_order_relaxed);  // relaxed: a hint
    for (std::size_t i = 0; i < Capacity; ++i) {
      Slot* const s =
          slots_[(first + Capacity - i) % Capacity].load(std::memory_order_acquire);  // the slot. Pairs with: add
      if (s != nullptr && wanted(*s)) return s;
    }
    return nullptr;
  }

 private:
  std::array<typename Sync::template atomic<Slot*>, Capacity> slots_{};
  typename Sync::template atomic<std::size_t> newest_{0};
};

}}}  // namespace skua::v0::runtime
