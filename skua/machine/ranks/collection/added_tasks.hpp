// SPDX-License-Identifier: MIT
// Tasks that any thread of a rank adds, until the rank's server takes them; and whether the rank is quiet.
// rank_workers.md has the proof, worker_roster_model.cpp every schedule.
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <utility>

#include "skua/parts/base/sync.hpp"

namespace skua { inline namespace v0 { namespace ranks {

/// A list behind a mutex, and its size for threads without the lock.
template <class List, runtime::synchronisation Sync = runtime::real_sync>
class added_tasks {
 public:
  /// Calls f(list) under the lock; f adds to the list. Any thread.
  template <class F>
  void change(F&& f) {
    std::scoped_lock const held(lock_);
    f(list_);
    // relaxed: a worker that adds during process() runs, so is_quiet sees it once that worker has ended.
    size_.store(list_.size(), std::memory_order_relaxed);
  }
  /// For the server: takes everything that was added, and leaves an empty list.
  [[nodiscard]] List take() {
    List all{};
    std::scoped_lock const held(lock_);
    std::swap(all, list_);
    size_.store(0, std::memory_order_relaxed);  // relaxed: as in change
    return all;
  }
  /// A hint; exact for a thread that knows that no other one adds, and has acquired what they did.
  [[nodiscard]] std::size_t size() const noexcept { return size_.load(std::memory_order_relaxed); }
  [[nodiscard]] bool looks_empty() const noexcept { return size() == 0; }

 private:
  typename Sync::mutex lock_;
  List list_{};                                          ///< guarded by lock_
  typename Sync::template atomic<std::size_t> size_{0};  ///< changed under it
};

/// For the server: true if no task of the rank waits, and none runs. In this order, because a running task may add
/// others.
template <class Roster, class Added, class Arrivals>
[[nodiscard]] bool is_quiet(Roster const& roster, Added const& added, Arrivals const& arrivals) noexcept {
  return roster.all_idle() && added.looks_empty() && arrivals.empty();
}

}}}  // namespace skua::v0::ranks
