// SPDX-License-Identifier: MIT
// Waits until a condition holds that other threads make true: an eventcount, as in oneTBB and folly. Waiters are members of teams, which park
// while their workers run tasks, or threads from outside, which block.
//
// The notifier makes the condition true, and then reads whether anybody waits; a waiter announces itself, and then reads the condition. All four are
// sequentially consistent (two fences), so one of them sees the other.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "skua/parts/base/brief_lock.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/parts/base/sync.hpp"

namespace skua { inline namespace v0 { namespace openmp {

/// `Sleep`: an event with `wait()` and `set()`, each called once, which may be destroyed when `wait` has returned.
template <class Sleep, runtime::synchronisation Sync = runtime::real_sync>
class basic_eventcount {
 public:
  /// Returns when `is_true()`, which other threads make true before they call notify_all. It may be called under a lock and must not wait.
  template <class Condition>
  void wait(Condition const& is_true) {
    while (!is_true()) {
      waiter mine;
      {
        std::lock_guard const hold(changing_);
        waiting_.store(true, std::memory_order_relaxed);  // relaxed: the fence orders it
        Sync::full_fence();
        if (is_true()) {
          if (first_ == nullptr) waiting_.store(false, std::memory_order_relaxed);  // relaxed: under the lock
          return;
        }
        mine.next = first_;
        first_ = &mine;
      }
      mine.sleep.wait();
    }
  }
  /// After the condition was made true. Cost if nobody waits: a fence and a load.
  void notify_all() noexcept {
    Sync::full_fence();
    notify_after_fence();
  }
  void notify_after_fence() noexcept {
    if (is_waited_for()) wake_all();
  }
  [[nodiscard]] bool is_waited_for() const noexcept {
    return waiting_.load(std::memory_order_relaxed);  // relaxed: the fence orders it
  }

 private:
  struct waiter {
    Sleep sleep;
    waiter* next = nullptr;
  };
  void wake_all() noexcept {
    waiter* all = nullptr;
    {
      std::lock_guard const hold(changing_);
      all = first_;
      first_ = nullptr;
      waiting_.store(false, std::memory_order_relaxed);  // relaxed: under the lock
    }
    while (all != nullptr) {
      waiter* const next = all->next;  // before set: afterwards it may be gone
      all->sleep.set();
      all = next;
    }
  }

  runtime::brief_lock<Sync> changing_;
  waiter* first_ = nullptr;  ///< under changing_
  typename Sync::template atomic<bool> waiting_{false};
};

}}}  // namespace skua::v0::openmp
