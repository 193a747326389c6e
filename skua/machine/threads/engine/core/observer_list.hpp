// SPDX-License-Identifier: MIT
// The observers that are told when a thread begins to work in a pool, and when it stops: oneTBB's task_scheduler_observer.
//
// A thread enters before the first task that it runs, and leaves before it sleeps, ends, or ends its call from outside. Observers have
// ascending numbers, so one number says which of them a thread has told: it has entered for all that are no newer.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <vector>

#include "skua/parts/context/sanitizer.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// The thread itself calls these functions; several threads may call them at once. They must not throw, fork, or wait for tasks.
class worker_observer {
 public:
  virtual void enters(bool is_worker) = 0;
  virtual void leaves(bool is_worker) = 0;

 protected:
  ~worker_observer() = default;
};

/// Of one pool. Its observers may outlive it, and keep it.
class observer_list {
 public:
  observer_list() = default;
  /// The threads of the pool have ended, so none reads it any more. ThreadSanitizer, which follows fibers, is told so.
  ~observer_list() { tsan::acquire(this); }
  observer_list(observer_list const&) = delete;
  observer_list& operator=(observer_list const&) = delete;

  /// Throws std::bad_alloc.
  void add(worker_observer& o) {
    std::unique_lock const held(changing_);
    std::uint64_t const number = newest() + 1;
    all_.push_back({number, &o});
    newest_.store(number, std::memory_order_relaxed);  // relaxed: a hint to look under the lock
  }
  /// When this returns, no thread calls the observer any more.
  void remove(worker_observer const& o) noexcept {
    std::unique_lock const held(changing_);
    std::erase_if(all_, [&o](known const& k) { return k.observer == &o; });
  }

  /// True if a thread that has entered for `entered` has observers to tell.
  [[nodiscard]] bool has_newer(std::uint64_t entered) const noexcept { return newest() != entered; }
  /// Tells the observers that have not been told. Returns the newest number, for which the thread has entered then.
  [[nodiscard, gnu::cold]] std::uint64_t enter(std::uint64_t before, bool is_worker) noexcept {
    std::shared_lock hold(changing_);
    for (known const& k : all_) {
      if (k.number > before) k.observer->enters(is_worker);
    }
    std::uint64_t const now = newest();
    hold.unlock();
    tsan::release(this);
    return now;
  }
  /// Tells the observers that were told of the entry.
  [[gnu::cold]] void leave(std::uint64_t entered, bool is_worker) noexcept {
    std::shared_lock hold(changing_);
    for (known const& k : all_) {
      if (k.number <= entered) k.observer->leaves(is_worker);
    }
    hold.unlock();
    tsan::release(this);
  }

 private:
  struct known {
    std::uint64_t number;
    worker_observer* observer;
  };
  [[nodiscard]] std::uint64_t newest() const noexcept {
    return newest_.load(std::memory_order_relaxed);  // relaxed: as in add
  }

  std::shared_mutex changing_;
  std::vector<known> all_;                ///< under the lock
  std::atomic<std::uint64_t> newest_{0};  ///< written under the lock
};

}}}  // namespace skua::v0::runtime
