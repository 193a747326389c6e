// SPDX-License-Identifier: MIT
// Counts the unfinished tasks, keeps their waiters, and keeps the first failure: the core of task_group.
// States, invariants and proof: wait_group.md.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <utility>

#include "skua/parts/base/announced_atomic.hpp"
#include "skua/parts/base/assert.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/parts/base/sync.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// A waiter, which lives in the waiting frame. If `enroll` returned true, the thread that finished the last task calls
/// `wake` exactly once, possibly before `enroll` has returned. `wake` must not throw.
struct group_waiter {
  void (*wake)(group_waiter&) noexcept;
  group_waiter* next = nullptr;  ///< belongs to the group until `wake`
};

/// The operations that the protocol is written against; its model check replaces them (wait_group_model.cpp).
struct group_sync {
  template <class T>
  using atomic = announced_atomic<T>;
  template <class T>
  using plain = plain_variable<T>;

  /// Called when `word` was just seen to be `seen`, and will change within a few instructions.
  template <class T>
  static void pause(std::atomic<T> const&, T) noexcept {
    relax();
  }
};

/// Counts tasks; wakes all waiters when the count falls to zero; keeps the first exception.
/// Any thread may call every member function. The group may be destroyed when no task is left and no thread is inside
/// `enroll` or still to be woken: in particular by a waiter, as soon as it was woken or told not to wait.
template <class Sync>
class basic_wait_group {
 public:
  using waiter = group_waiter;

  basic_wait_group() noexcept { waiters_.set(nullptr); }
  ~basic_wait_group() { expects(done(), "wait_group: destroyed while no task is out"); }
  basic_wait_group(basic_wait_group const&) = delete;
  basic_wait_group& operator=(basic_wait_group const&) = delete;

  /// Adds a task. The caller is a task of this group, or knows that no waiter relies on the count reaching zero.
  void add() noexcept {
    state_.fetch_add(one, std::memory_order_relaxed);  // relaxed: publishes nothing; the task is published by its queue
  }

  /// As add, unless `most` tasks or more are unfinished. Returns false if it added nothing.
  [[nodiscard]] bool add_below(std::uint64_t most) noexcept {
    std::uint64_t seen = state_.load(std::memory_order_relaxed);
    while (seen / one < most) {
      // relaxed, both: as in add
      if (state_.compare_exchange_weak(seen, seen + one, std::memory_order_relaxed, std::memory_order_relaxed))
        return true;
    }
    return false;
  }
  /// Tasks that were added and have not ended; a snapshot.
  [[nodiscard]] std::uint64_t outstanding() const noexcept { return state_.load(std::memory_order_relaxed) / one; }

  /// Call it when so many tasks have ended and everything that they owned is destroyed. The last call wakes the waiters. The
  /// group may be gone when this returns.
  void finish(std::uint64_t tasks = 1) noexcept;

  /// True once no task is left; the effects of all tasks are then visible to the caller.
  [[nodiscard]] bool done() const noexcept {
    // acquire: pairs with the release of every `finish`; the later additions to the same word keep that chain.
    return state_.load(std::memory_order_acquire) == 0;
  }

  /// Adds a waiter. Returns false if no task is left: do not wait, `wake` is not called.
  [[nodiscard]] bool enroll(waiter& who) noexcept;

  /// Keeps the first failure since the last `take_outcome` and cancels the group; drops later failures.
  void fail(std::exception_ptr why) noexcept;
  /// A task ended with `cancelled`, though the group was not cancelled: cancels it. The outcome reports that unless a
  /// task fails.
  void end_early() noexcept {
    ended_early_.store(true, std::memory_order_relaxed);  // relaxed: `finish` publishes it
    cancel();
  }
  /// Tasks not yet begun will be dropped; running ones see stop_requested().
  void cancel() noexcept {
    cancelled_.store(true, std::memory_order_relaxed);
  }  // relaxed: advice, it publishes no data
  [[nodiscard]] bool stop_requested() const noexcept { return cancelled_.load(std::memory_order_relaxed); }

  /// The outcome of the finished tasks. Reports each failure and each cancellation once; then the group is as new.
  /// Only a waiter calls it.
  struct outcome {
    std::exception_ptr failure;
    bool cancelled = false;
  };
  [[nodiscard]] outcome take_outcome() noexcept;

 private:
  // state_: four times the number of unfinished tasks, plus two bits.
  static constexpr std::uint64_t locked = 1;   ///< a thread changes waiters_
  static constexpr std::uint64_t awaited = 2;  ///< waiters_ is not empty
  static constexpr std::uint64_t one = 4;

  static void wake_all(waiter* first) noexcept;
  /// The lock's holder takes the waiters and unlocks. The group may be gone when they are woken.
  waiter* take_waiters_and_unlock() noexcept;

  enum class claim : std::uint8_t { none, writing, kept, taking };

  typename Sync::template atomic<std::uint64_t> state_{0};
  typename Sync::template plain<waiter*> waiters_;  ///< guarded by `locked`
  typename Sync::template atomic<bool> cancelled_{false};
  typename Sync::template atomic<bool> ended_early_{false};
  typename Sync::template atomic<claim> claim_{claim::none};
  typename Sync::template plain<std::exception_ptr> failure_;  ///< written by the claimant, read after `kept`
};

template <class Sync>
void basic_wait_group<Sync>::wake_all(waiter* first) noexcept {
  while (first != nullptr) {
    waiter* const next = first->next;  // before wake: afterwards *first may be gone
    first->wake(*first);
    first = next;
  }
}

template <class Sync>
group_waiter* basic_wait_group<Sync>::take_waiters_and_unlock() noexcept {
  waiter* const all = waiters_.get();
  waiters_.set(nullptr);
  // release: pairs with the acquire of the next thread that locks, and of `done` before a destruction. Our last access.
  state_.fetch_and(~(locked | awaited), std::memory_order_release);
  return all;
}

template <class Sync>
void basic_wait_group<Sync>::finish(std::uint64_t tasks) noexcept {
  std::uint64_t const ended = tasks * one;
  std::uint64_t seen = state_.load(std::memory_order_relaxed);
  for (;;) {
    invariant(seen >= ended, "a task that finishes was counted");
    bool const wakes = seen == (ended | awaited);
    std::uint64_t const next = wakes ? locked : seen - ended;
    // release: this task's effects, for a thread that sees the count at zero (done, enroll).
    // acquire: if we wake, waiters_ as the last `enroll` left it, and the other tasks' effects, which we pass on.
    if (state_.compare_exchange_weak(seen, next, std::memory_order_acq_rel, std::memory_order_relaxed)) {
      if (wakes) wake_all(take_waiters_and_unlock());
      return;
    }
  }
}

template <class Sync>
bool basic_wait_group<Sync>::enroll(waiter& who) noexcept {
  std::uint64_t seen = state_.load(std::memory_order_acquire);  // acquire: as in done()
  for (;;) {
    if (seen == 0) return false;
    if ((seen & locked) != 0) {  // for a few instructions: another waiter enrolls, or the last finisher takes the list
      Sync::pause(state_, seen);
      seen = state_.load(std::memory_order_acquire);  // acquire: as in done()
      continue;
    }
    // acquire: waiters_ as the last holder left it. Pairs with the release of every unlock.
    if (state_.compare_exchange_weak(seen, seen | locked, std::memory_order_acquire, std::memory_order_acquire)) break;
  }
  who.next = waiters_.get();
  waiters_.set(&who);
  seen |= locked;
  while (seen >= one) {
    // release: the list, for the finisher that will take it. After this exchange the group may be gone.
    if (state_.compare_exchange_weak(seen, (seen | awaited) & ~locked, std::memory_order_release,
                                     std::memory_order_acquire)) {
      return true;
    }
  }
  // The last task has ended while we held the lock, and left the wake-ups to us. We are the head of the list.
  waiter* const all = take_waiters_and_unlock();
  wake_all(all->next);
  return false;
}

template <class Sync>
void basic_wait_group<Sync>::fail(std::exception_ptr why) noexcept {
  claim seen = claim::none;
  // acquire: failure_ as `take_outcome` left it. Pairs with the release there.
  while (!claim_.compare_exchange_weak(seen, claim::writing, std::memory_order_acquire, std::memory_order_relaxed)) {
    if (seen == claim::writing || seen == claim::kept) break;  // we are not the first
    if (seen == claim::taking) Sync::pause(claim_, seen);      // our failure is the first of the next round
    seen = claim::none;
  }
  if (seen == claim::none) {
    failure_.set(std::move(why));
    claim_.store(claim::kept, std::memory_order_release);  // failure_ is written. Pairs with: take_outcome, exchange.
  }
  cancel();
}

template <class Sync>
typename basic_wait_group<Sync>::outcome basic_wait_group<Sync>::take_outcome() noexcept {
  outcome what;
  // relaxed: a waiter has acquired what its tasks wrote. Exchanges cost more than the rest of a wait, and hardly any is needed.
  claim seen = claim_.load(std::memory_order_relaxed);
  if (!cancelled_.load(std::memory_order_relaxed) && seen != claim::kept) [[likely]]
    return what;
  what.cancelled = cancelled_.exchange(false, std::memory_order_relaxed);
  bool const ended_early = ended_early_.exchange(false, std::memory_order_relaxed);
  seen = claim::kept;
  // acquire: failure_. Pairs with the release in `fail`.
  if (claim_.compare_exchange_strong(seen, claim::taking, std::memory_order_acquire, std::memory_order_relaxed)) {
    what.failure = failure_.get();
    failure_.set(nullptr);
    claim_.store(claim::none, std::memory_order_release);  // failure_ is free. Pairs with: fail, exchange.
  } else if (ended_early) {
    what.failure = std::make_exception_ptr(cancelled{});
  }
  return what;
}

using wait_group = basic_wait_group<group_sync>;

}}}  // namespace skua::v0::runtime
