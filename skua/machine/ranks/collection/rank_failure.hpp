// SPDX-License-Identifier: MIT
// The failure of a rank, after which no worker of the rank begins another task. rank_workers.md, "Failures";
// worker_roster_model.cpp runs every schedule.
#pragma once

#include <atomic>
#include <mutex>
#include <utility>

#include "skua/parts/base/sync.hpp"

namespace skua { inline namespace v0 { namespace ranks {

/// Any thread may call every member function but `clear`. `What`: null if nothing failed.
template <class What, runtime::synchronisation Sync = runtime::real_sync>
class rank_failure {
 public:
  /// Precondition: no worker runs, and no other thread uses it.
  void clear() noexcept {
    cancelled_.store(false, std::memory_order_relaxed);  // relaxed: the workers are started afterwards
    first_ = {};
  }

  /// A task of this rank threw. Only the first failure is kept.
  void fail(What what) noexcept {
    {
      std::scoped_lock const held(lock_);
      if (!first_) first_ = std::move(what);
    }
    cancel();  // after the lock: a thread that sees it finds the failure
  }
  /// A task of another rank threw.
  void cancel() noexcept {
    // relaxed: advice to workers; the lock orders the failure, and `worker_roster::end` the last one's.
    cancelled_.store(true, std::memory_order_relaxed);
  }
  [[nodiscard]] bool is_cancelled() const noexcept { return cancelled_.load(std::memory_order_relaxed); }

  /// The failure of this rank; null: none.
  [[nodiscard]] What first() const {
    std::scoped_lock const held(lock_);
    return first_;
  }

 private:
  typename Sync::template atomic<bool> cancelled_{false};
  mutable typename Sync::mutex lock_;
  What first_{};  ///< guarded by lock_
};

}}}  // namespace skua::v0::ranks
