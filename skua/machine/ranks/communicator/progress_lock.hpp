// SPDX-License-Identifier: MIT
// Who may poll: the rank's thread, which holds this lock except in tasks, or the progress thread while a task runs.
// progress_thread.md has the states, progress_lock_model.cpp every schedule.
#pragma once

#include <atomic>
#include <cstdint>

#include "skua/parts/base/sync.hpp"

namespace skua { inline namespace v0 { namespace ranks {

/// Biased: the owner lends and takes back once per task with plain stores and a light fence; the borrower, some times in a
/// millisecond-long task, pays the heavy fence. Invariant: the owner is outside a lending, or the borrower does not hold.
template <runtime::synchronisation Sync = runtime::real_sync>
class progress_lock {
 public:
  // --- the owner: the rank's thread, or another one that continues its task

  /// A task begins: until take_back the borrower may hold the lock.
  void lend() noexcept {
    ++task_;
    is_in_task_ = true;
    lend_again();
  }
  /// A task has ended.
  void end() noexcept {
    take_back();
    is_in_task_ = false;
  }
  [[nodiscard]] bool is_in_task() const noexcept { return is_in_task_; }
  /// The same task goes on.
  void lend_again() noexcept {
    lent_.store(task_, std::memory_order_release);  // release: what the owner wrote. Pairs with: borrow, load
  }
  /// Returns when the borrower does not hold the lock, and cannot get it.
  void take_back() noexcept {
    lent_.store(0, std::memory_order_relaxed);  // relaxed: the fence
    kind_ == runtime::fences::asymmetric ? Sync::light_fence() : Sync::full_fence();
    // acquire: what the borrower wrote. Pairs with: give_back
    for (int tries = 0; borrowed_.load(std::memory_order_acquire) != 0; ++tries) Sync::pause(borrowed_, 1U, tries);
  }
  [[nodiscard]] bool is_lent() const noexcept {
    return lent_.load(std::memory_order_relaxed) != 0;  // relaxed: the owner wrote it
  }

  // --- the borrower

  /// The number of the task during which the lock is lent; 0: it is not. A hint.
  [[nodiscard]] std::uint64_t lent_in() const noexcept { return lent_.load(std::memory_order_relaxed); }
  /// False: that task has ended, or the owner is not in its code. True: the borrower holds the lock until give_back.
  [[nodiscard]] bool borrow(std::uint64_t task) noexcept {
    borrowed_.store(1, std::memory_order_relaxed);  // relaxed: the fence
    Sync::heavy_fence();
    // acquire: what the owner wrote. Pairs with: lend_again
    if (lent_.load(std::memory_order_acquire) == task) return true;
    give_back();
    return false;
  }
  void give_back() noexcept {
    borrowed_.store(0, std::memory_order_release);  // release: what the borrower wrote. Pairs with: take_back, load
  }

 private:
  runtime::fences const kind_ = Sync::kind();
  std::uint64_t task_ = 0;  ///< the owner's, as the next
  bool is_in_task_ = false;
  alignas(64) typename Sync::template atomic<std::uint64_t> lent_{0};
  alignas(64) typename Sync::template atomic<std::uint32_t> borrowed_{0};
};

/// The calling owner holds the lock in this scope, also in a task.
template <class Lock>
class held_in_task {
 public:
  /// Null: nobody borrows.
  explicit held_in_task(Lock* lock) noexcept : lock_(lock != nullptr && lock->is_lent() ? lock : nullptr) {
    if (lock_ != nullptr) lock_->take_back();
  }
  ~held_in_task() {
    if (lock_ != nullptr) lock_->lend_again();
  }
  held_in_task(held_in_task const&) = delete;
  held_in_task& operator=(held_in_task const&) = delete;

 private:
  Lock* const lock_;
};

/// The owner runs a task's code in this scope.
template <class Lock>
class lent_in_task {
 public:
  explicit lent_in_task(Lock* lock) noexcept : lock_(lock) {
    if (lock_ != nullptr) lock_->lend();
  }
  ~lent_in_task() {
    if (lock_ != nullptr) lock_->end();
  }
  lent_in_task(lent_in_task const&) = delete;
  lent_in_task& operator=(lent_in_task const&) = delete;

 private:
  Lock* const lock_;
};

}}}  // namespace skua::v0::ranks
