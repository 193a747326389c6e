// SPDX-License-Identifier: MIT
// A lock for a few instructions between few threads: a waiter spins, because sleeping and waking cost a hundred times
// what it waits for; once it has spun in vain, the holder has lost its processor, and the waiter gives up its own.
#pragma once

#include <sched.h>

#include <atomic>

#include "skua/parts/base/platform.hpp"

namespace skua {

/// Models BasicLockable. Not fair.
class brief_lock {
 public:
  void lock() noexcept {
    for (int tries = 0;; ++tries) {
      // acquire: what the last holder did. Pairs with: unlock.
      if (!held_.load(std::memory_order_relaxed) && !held_.exchange(true, std::memory_order_acquire)) return;
      if (tries < patience) {
        relax();
      } else {
        ::sched_yield();
      }
    }
  }
  void unlock() noexcept { held_.store(false, std::memory_order_release); }  // release: what we did. Pairs with: lock

 private:
  static constexpr int patience = 64;
  std::atomic<bool> held_{false};
};

}  // namespace skua
