// SPDX-License-Identifier: MIT
// A lock for a few instructions between few threads: a waiter spins, because sleeping and waking cost a hundred times
// what it waits for; once it has spun in vain, the holder has lost its processor, and the waiter gives up its own.
// Every schedule of it: tagged_queue_model.cpp.
#pragma once

#include <atomic>

#include "skua/parts/base/sync.hpp"

namespace skua::runtime {

/// Models BasicLockable. Not fair. Sync is the real world, or the explorer's.
template <synchronisation Sync = real_sync>
class brief_lock {
 public:
  void lock() noexcept {
    for (int tries = 0;; ++tries) {
      // relaxed: only saves the exchange. acquire: what the last holder did. Pairs with: unlock.
      if (!held_.load(std::memory_order_relaxed) && !held_.exchange(true, std::memory_order_acquire)) return;
      Sync::pause(held_, true, tries);
    }
  }
  void unlock() noexcept { held_.store(false, std::memory_order_release); }  // release: what we did. Pairs with: lock

 private:
  typename Sync::template atomic<bool> held_{false};
};

}  // namespace skua::runtime
