// SPDX-License-Identifier: MIT
// A spin lock for critical sections of a few instructions and few threads: sleeping and waking would cost a hundred
// times more than the wait. A waiter whose spinning fails yields its processor, because the holder must have lost its own.
// Every schedule: tagged_queue_model.cpp.
#pragma once

#include <atomic>

#include "skua/parts/base/sync.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// Models Lockable. Not fair. `Sync`: real_sync, or the explorer's model of it.
template <synchronisation Sync = real_sync>
class brief_lock {
 public:
  void lock() noexcept {
    for (int tries = 0; !try_lock(); ++tries) Sync::pause(held_, true, tries);
  }
  [[nodiscard]] bool try_lock() noexcept {
    // relaxed: only saves the exchange. acquire: the last holder's writes. Pairs with: unlock.
    return !held_.load(std::memory_order_relaxed) && !held_.exchange(true, std::memory_order_acquire);
  }
  void unlock() noexcept { held_.store(false, std::memory_order_release); }  // release: what we did. Pairs with: lock

 private:
  typename Sync::template atomic<bool> held_{false};
};

}}}  // namespace skua::v0::runtime
