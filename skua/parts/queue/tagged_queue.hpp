// SPDX-License-Identifier: MIT
// A lane that can be searched: the taker says which entries it wants. For rare entries that matter much: tasks that a
// policy has placed, continuations with a tag of their own, the one-entry mailbox. A lock around a short vector, and a
// count that can be read without it, so that nobody locks an empty queue. Proof of the count: injector.md; every
// schedule: tagged_queue_model.cpp. It has no cache line of its own: thieves look at several of a worker, one after the other.
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <new>
#include <optional>
#include <ranges>
#include <vector>

#include "skua/parts/base/brief_lock.hpp"
#include "skua/parts/base/outcome.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/parts/base/sync.hpp"

namespace skua::inline v0::runtime {

/// Makes a queue that takes no entries: pushes fail as if there were no memory.
struct no_entries_t {};
inline constexpr no_entries_t no_entries{};

template <class Item, synchronisation Sync = real_sync, class Lock = brief_lock<Sync>>
class tagged_queue {
 public:
  tagged_queue() = default;
  explicit tagged_queue(no_entries_t) noexcept : takes_entries_(false) {}
  /// Reserves room for so many entries. Throws std::bad_alloc.
  explicit tagged_queue(std::size_t room) { items_.reserve(room); }
  tagged_queue(tagged_queue const&) = delete;
  tagged_queue& operator=(tagged_queue const&) = delete;

  /// Any thread. False: no memory. Sequentially consistent, as injector::push.
  [[nodiscard]] bool push(Item const& item) noexcept {
    std::lock_guard const held(lock_);
    return append(item);
  }

  /// As push, but only into an empty queue: a mailbox holds at most one entry. False: occupied, or no memory.
  [[nodiscard]] bool push_if_empty(Item const& item) noexcept {
    std::lock_guard const held(lock_);
    return items_.empty() && append(item);
  }

  /// Any thread: takes the newest or oldest entry that `wanted(item)` accepts. got, empty, or barred: there are
  /// entries, but none is wanted. Cost: O(entries) under the lock; `wanted` must be short.
  template <class Wanted>
  outcome take_newest(Item& out, Wanted&& wanted) noexcept {
    return take(items_ | std::views::reverse, out, wanted);
  }
  template <class Wanted>
  outcome take_oldest(Item& out, Wanted&& wanted) noexcept {
    return take(items_ | std::views::all, out, wanted);
  }

  /// A sleeper that announces itself (seq_cst) and then finds this true will be seen by the next pusher.
  [[nodiscard]] bool looks_empty() const noexcept {
    return size_.load(std::memory_order_seq_cst) == 0;  // after the caller's announcement. Partner: append, size_
  }
  /// Where others may read how many entries there are.
  [[nodiscard]] void const* published() const noexcept { return &size_; }

 private:
  bool append(Item const& item) noexcept {
    if (!takes_entries_) return false;
    try {
      items_.push_back(item);
    } catch (std::bad_alloc const&) {
      return false;
    }
    // seq_cst: before the caller's look at the sleepers. Partner: looks_empty, after a sleeper's announcement.
    size_.fetch_add(1, std::memory_order_seq_cst);
    return true;
  }

  template <class View, class Wanted>
  outcome take(View view, Item& out, Wanted& wanted) noexcept {
    if (looks_empty()) return outcome::empty;
    std::lock_guard const held(lock_);
    if (items_.empty()) return outcome::empty;
    for (Item& item : view) {
      if (!wanted(static_cast<Item const&>(item))) continue;
      out = item;
      items_.erase(items_.begin() + (&item - items_.data()));
      size_.fetch_sub(1, std::memory_order_relaxed);  // relaxed: too large for a moment only costs somebody the lock
      return outcome::got;
    }
    return outcome::barred;
  }

  // Invariant (count): while lock_ is free, size_ is the length of items_.
  typename Sync::template atomic<std::size_t> size_{0};
  Lock lock_;
  bool const takes_entries_ = true;
  std::vector<Item> items_;  ///< oldest first
};

}  // namespace skua::inline v0::runtime
