// SPDX-License-Identifier: MIT
// What went wrong on a rank, and that no worker of it begins another task. rank_workers.md, "Failures"; worker_roster_model.cpp has every schedule.
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
  /// Nobody else uses it: no worker runs.
  void clear() noexcept {
    cancelled_.store(false, std::memory_order_relaxed);  // relaxed: the workers are started afterwards
    first_ = {};
  }

  /// A task of this rank threw. The first one counts.
  void fail(What what) noexcept {
    {
      std::scoped_lock const held(lock_);
      if (!first_) first_ = std::move(what);
    }
    cancel();  // after the lock: who sees it finds the failure
  }
  /// The same because of a task of another rank.
  void cancel() noexcept {
    // relaxed: advice to workers; the lock orders the failure, and `worker_roster::end` the last one's.
    cancelled_.store(true, std::memory_order_relaxed);
  }
  [[nodiscard]] bool is_cancelled() const noexcept { return cancelled_.load(std::memory_order_relaxed); }

  /// What failed here; null: nothing.
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
