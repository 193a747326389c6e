// SPDX-License-Identifier: MIT
// Sleep and wake-up of the thread that is lent to enqueued tasks, so that no request for it is lost: lent_thread.md.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>

#include "skua/parts/base/condition.hpp"
#include "skua/parts/base/sync.hpp"

namespace skua { inline namespace v0 { namespace runtime {

template <synchronisation Sync = real_sync>
class lending {
 public:
  /// Call it after a push, or if a task is left, that perhaps no worker takes. Calls `start()` under the lock; it returns whether there is a thread.
  template <class Start>
  void ask(Start&& start) noexcept {
    // seq_cst: after the push. Pairs with: rest, store.
    if (is_asked_.load(std::memory_order_seq_cst)) return;
    {
      std::lock_guard const hold(lock_);
      if (ends_ || !start()) return;
      is_asked_.store(true, std::memory_order_relaxed);  // relaxed: under the lock
    }
    signal_.notify_one();
  }
  /// For the thread: sleeps until it is asked again. Returns false if it must end. `anything_left()` looks for tasks.
  template <class AnythingLeft>
  [[nodiscard]] bool rest(AnythingLeft&& anything_left) noexcept {
    std::unique_lock hold(lock_);
    // seq_cst: before the look for tasks. Pairs with: ask, load.
    is_asked_.store(false, std::memory_order_seq_cst);
    if (anything_left()) is_asked_.store(true, std::memory_order_relaxed);  // relaxed, all: under the lock
    while (!is_asked_.load(std::memory_order_relaxed) && !ends_) signal_.wait(hold);
    return !ends_;
  }
  /// For the thread: sleeps for that time. Returns false if it must end.
  [[nodiscard]] bool pause(std::chrono::milliseconds time) noexcept {
    std::unique_lock hold(lock_);
    return !signal_.wait_for(hold, time, [this] { return ends_; });
  }
  /// Makes the thread end; later requests have no effect.
  void end() noexcept {
    {
      std::lock_guard const hold(lock_);
      ends_ = true;
    }
    signal_.notify_one();
  }

 private:
  typename Sync::mutex lock_;
  typename Sync::condition signal_;
  typename Sync::template atomic<bool> is_asked_{false};  ///< written under the lock
  bool ends_ = false;                                     ///< under the lock
};

}}}  // namespace skua::v0::runtime
