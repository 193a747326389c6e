// SPDX-License-Identifier: MIT
// The word that counts a group's children, and the frame that waits for them: the owner parks, and the last piece to end gets
// the frame. Steps (O1.., L1..) and proof: group.md, "Parking". share_count_model.cpp runs every schedule.
// The word has two forms: group.md, "The word".
//
// Each piece of a group subtracts the children that it accounts for, once, when it ends. The piece that
// brings the count to zero is the last, and gets the frame. The owner subtracts its share only after its frame is
// saved, so the last piece always finds a frame.
#pragma once

#include <atomic>
#include <cstdint>

#include "skua/machine/threads/lane/word_of_two.hpp"
#include "skua/parts/base/sync.hpp"

namespace skua { inline namespace v0 { namespace runtime {

template <synchronisation Sync>
class share_count;

/// A waiting flow: the base of a saved frame. `Sync`: real_sync, or the explorer's model of it.
template <synchronisation Sync = real_sync>
class parked {
 public:
  /// The frame waits for nothing. What the caller did so far happens before it resumes.
  void call() noexcept {
    called_.store(true, std::memory_order_release);  // release: the caller's flow. Pairs with: resumed
  }

  /// Call it when the frame runs again. From here on no other thread touches it, or the group that it waited for.
  void resumed() const noexcept {
    // acquire: the last thief has let go. Pairs with: share_count::finish, store.
    static_cast<void>(called_.load(std::memory_order_acquire));
  }

 private:
  friend class share_count<Sync>;
  /// Set by the last thief when it needs the group no longer. No thread waits for it: it orders the thief's flow before the
  /// resumed one for checkers that follow flows instead of threads (TSan).
  typename Sync::template atomic<bool> called_{false};
};

template <synchronisation Sync = real_sync>
class share_count {
 public:
  static constexpr std::uint64_t failed = std::uint64_t{1} << 62;     ///< a child threw an exception
  static constexpr std::uint64_t dropped = std::uint64_t{1} << 61;    ///< a child was not run, because of a stop
  static constexpr std::uint64_t abandoned = std::uint64_t{1} << 60;  ///< the owner wants its siblings to end early
  static constexpr std::uint64_t enclosed = std::uint64_t{1} << 59;   ///< the join around it is linked

  /// Up to 2^48 - 1 children.
  explicit share_count(std::uint64_t children) noexcept : word_(children | wide) {}
  explicit share_count(word_of_two first) noexcept : word_(first.bits()) {}

  /// The node that the owner watched when it forked. For joins of two.
  [[nodiscard]] stop_node const* watched() const noexcept {
    return word_of_two::watched_in(word_.load(std::memory_order_relaxed));  // relaxed: these bits never change
  }

  /// O1, for the owner, which accounts for `mine` children. True: all others are accounted for, and what they wrote is
  /// visible.
  [[nodiscard]] bool left_only(std::uint64_t mine) const noexcept {
    // acquire: what the pieces wrote (values, exceptions). Pairs with: subtract.
    return left_in(word_.load(std::memory_order_acquire)) == mine;
  }

  /// O2: the owner will wait in `f`.
  void wait_in(parked<Sync>& f) noexcept { waiter_.set(&f); }

  /// O3, once the frame is saved. From here on it may run elsewhere, and the group may be gone. If the frame is
  /// returned (O4), all others have ended, and the caller must resume it.
  [[nodiscard]] parked<Sync>* park(std::uint64_t mine) noexcept {
    parked<Sync>* const f = waiter_.get();
    return subtract(mine) ? f : nullptr;
  }

  /// L1, L2: ends a piece other than the owner's, which accounts for `children`. Returns the frame if the piece was the
  /// last; otherwise the group may be gone. With `failed`, calls alarm(); a fiber that the alarm reaches sees the flag.
  template <class Alarm>
  [[nodiscard]] parked<Sync>* finish(std::uint64_t children, std::uint64_t flags, Alarm&& alarm) noexcept {
    if (flags != 0) raise(flags);
    if ((flags & failed) != 0) alarm();  // a release, so it cannot come before the flag
    if (!subtract(children)) return nullptr;
    parked<Sync>* const f = waiter_.get();
    // release: our accesses to the group. Pairs with: parked::resumed.
    f->called_.store(true, std::memory_order_release);
    return f;
  }

  /// Sets flags, and returns those that were set before. The first to raise `failed` keeps its exception.
  std::uint64_t raise(std::uint64_t flags) noexcept {
    return word_.fetch_or(flags, std::memory_order_relaxed);  // relaxed: the subtraction publishes it
  }
  /// Exact for the owner after the wait. Before that, the flags only request an early end.
  [[nodiscard]] std::uint64_t flags() const noexcept {
    return word_.load(std::memory_order_relaxed);  // relaxed: the wait has acquired
  }

  /// Sets `enclosed`. A thread that sees it in flags_and_more also sees the link that was written before.
  void enclose() noexcept {
    // release: which join is around. Pairs with: flags_and_more.
    word_.fetch_or(enclosed, std::memory_order_release);
  }
  [[nodiscard]] std::uint64_t flags_and_more() const noexcept {
    return word_.load(std::memory_order_acquire);  // acquire: which join is around. Pairs with: enclose
  }

  /// For the owner of a scope: adds children, modulo 2^64.
  void add(std::uint64_t children) noexcept {
    word_.fetch_add(children, std::memory_order_relaxed);  // relaxed: the wait orders
  }

 private:
  /// Returns true if these were the last.
  [[nodiscard]] bool subtract(std::uint64_t children) noexcept {
    // acq_rel: publishes what a piece wrote to the owner, and the owner's saved frame to the last piece, which acquires
    // all of it. Pairs with: itself in other pieces; left_only.
    return left_in(word_.fetch_sub(children, std::memory_order_acq_rel)) == children;
  }

  static constexpr std::uint64_t wide = std::uint64_t{1} << 58;  ///< not a word_of_two: the count takes 48 bits
  static constexpr std::uint64_t left_in(std::uint64_t word) noexcept {
    return word & ((word & wide) != 0 ? (std::uint64_t{1} << 48) - 1 : word_of_two::counted);
  }

  typename Sync::template atomic<std::uint64_t> word_;   ///< children not yet accounted for; flags in the high bits
  typename Sync::template plain<parked<Sync>*> waiter_;  ///< valid once the owner has subtracted its share
};

}}}  // namespace skua::v0::runtime
