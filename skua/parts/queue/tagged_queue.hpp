// SPDX-License-Identifier: MIT
// A lane that can be searched: the taker says which entries it wants. For rare but important entries: tasks that a policy
// has placed, continuations with a tag of their own, the one-entry mailbox. A lock around a short vector, a slot
// for the newest entry that is filled without the lock, and a count that can be read without it, so that no thread locks an
// empty queue. Steps and proof: tagged_queue.md; every schedule: tagged_queue_model.cpp.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <mutex>
#include <optional>
#include <ranges>

#include "skua/parts/base/brief_lock.hpp"
#include "skua/parts/base/outcome.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/parts/base/sync.hpp"
#include "skua/parts/queue/waiting_line.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// Makes a queue that takes no entries: pushes fail as if there were no memory.
struct no_entries_t {};
inline constexpr no_entries_t no_entries{};

template <class Item, synchronisation Sync = real_sync, class Lock = brief_lock<Sync>>
class alignas(cache_line_bytes) tagged_queue {
 public:
  tagged_queue() = default;
  explicit tagged_queue(no_entries_t) noexcept : takes_entries_(false) {}
  /// Reserves memory for `room` entries. Throws std::bad_alloc.
  explicit tagged_queue(std::size_t room) : items_(room) {}
  tagged_queue(tagged_queue const&) = delete;
  tagged_queue& operator=(tagged_queue const&) = delete;

  /// Any thread. False: no memory. Sequentially consistent, as injector::push. Amortised O(1).
  [[nodiscard]] bool push(Item const& item) noexcept {
    if (fill_slot(item)) return true;
    std::lock_guard const held(lock_);
    return append(item);
  }

  /// For queues on which push is never called: puts the item into an empty queue. False: occupied.
  [[nodiscard]] bool push_if_empty(Item const& item) noexcept { return fill_slot(item); }

  /// Any thread: takes the newest or oldest entry that `wanted(item)` accepts. got, empty, or barred: there are
  /// entries, but none is wanted. Cost under the lock: O(1) if the first that is asked about is wanted, else O(those that are
  /// asked about); `wanted` must be short.
  template <class Wanted>
  outcome take_newest(Item& out, Wanted&& wanted) noexcept {
    return take(
        [&] { return take_from_slot(out, wanted) || take_from_items(std::views::reverse(items_), out, wanted); });
  }
  template <class Wanted>
  outcome take_oldest(Item& out, Wanted&& wanted) noexcept {
    return take([&] { return take_from_items(std::views::all(items_), out, wanted) || take_from_slot(out, wanted); });
  }

  /// Any thread: true if there are entries and `is(item)` holds for the newest or oldest, which no thread takes meanwhile. A hint: it may
  /// miss an entry that is being pushed.
  template <class Is>
  [[nodiscard]] bool newest_is(Is&& is) noexcept {
    return look([&](bool in_slot) { return is(in_slot ? item_.get() : *std::prev(items_.end())); },
                [this] { return slot_is_filled(); });
  }
  template <class Is>
  [[nodiscard]] bool oldest_is(Is&& is) noexcept {
    return look([&](bool in_slot) { return is(in_slot ? item_.get() : *items_.begin()); },
                [this] { return items_.empty(); });
  }

  /// A sleeper that announces itself (seq_cst) and then finds this true will be seen by the next pusher.
  [[nodiscard]] bool looks_empty() const noexcept {
    return size_.load_hint(std::memory_order_seq_cst) == 0;  // after the caller's announcement. Partner: append, size_
  }
  /// The address at which others may read the number of entries.
  [[nodiscard]] void const* published() const noexcept { return &size_; }

 private:
  enum class slot : std::uint8_t { free, being_filled, filled };

  /// T1 to T4. False: the slot is occupied.
  bool fill_slot(Item const& item) noexcept {
    if (!takes_entries_) return false;
    slot seen = slot::free;
    // Acquire: the taker that emptied it has read the item. Pairs with: empty_slot. No load before the exchange: it would fetch
    // the line twice.
    if (!slot_.compare_exchange_strong(seen, slot::being_filled, std::memory_order_acquire, std::memory_order_relaxed))
      return false;
    item_.set(item);
    // seq_cst: before the caller's look at the sleepers. Partner: looks_empty, after a sleeper's announcement. Before T4:
    // the taker of the item subtracts it.
    size_.fetch_add(1, std::memory_order_seq_cst);
    slot_.store(slot::filled, std::memory_order_release);  // release: the item. Pairs with: slot_is_filled
    return true;
  }

  // The rest under the lock.

  [[nodiscard]] bool slot_is_filled() const noexcept {
    return slot_.load(std::memory_order_acquire) == slot::filled;  // acquire: the item. Pairs with: fill_slot, store
  }
  /// For a count that is not zero: waits for the pusher's T4, as for a pusher that has the lock.
  void await_slot() noexcept {
    for (int tries = 0; slot_.load(std::memory_order_relaxed) == slot::being_filled; ++tries)
      Sync::pause(slot_, slot::being_filled, tries);
  }
  void empty_slot() noexcept {
    // release: we have read the item. Pairs with: fill_slot, exchange.
    slot_.store(slot::free, std::memory_order_release);
  }

  /// Moves the slot's item to the others first, because it is older.
  bool append(Item const& item) noexcept {
    if (!takes_entries_) return false;
    if (!items_.reserve_more(2)) return false;
    if (slot_is_filled()) {
      items_.push_back(item_.get());
      empty_slot();
    }
    items_.push_back(item);
    size_.fetch_add(1, std::memory_order_seq_cst);  // seq_cst: as in fill_slot
    return true;
  }

  template <class Wanted>
  bool take_from_slot(Item& out, Wanted& wanted) noexcept {
    if (!slot_is_filled()) return false;
    Item const item = item_.get();
    if (!wanted(item)) return false;
    out = item;
    empty_slot();
    return true;
  }
  template <class View, class Wanted>
  bool take_from_items(View view, Item& out, Wanted& wanted) noexcept {
    for (Item& item : view) {
      if (!wanted(static_cast<Item const&>(item))) continue;
      out = item;
      items_.erase(items_.begin() + (&item - &*items_.begin()));
      return true;
    }
    return false;
  }

  template <class Take>
  outcome take(Take&& from_it) noexcept {
    if (looks_empty()) return outcome::empty;
    std::lock_guard const held(lock_);
    if (items_.empty()) await_slot();
    bool const has_entries = !items_.empty() || slot_is_filled();
    if (!from_it()) return has_entries ? outcome::barred : outcome::empty;
    size_.fetch_sub(1, std::memory_order_relaxed);  // relaxed: a count too large for a moment costs a taker the lock
    return outcome::got;
  }

  template <class Of, class IsInSlot>
  bool look(Of&& of, IsInSlot&& is_in_slot) noexcept {
    if (looks_empty()) return false;
    std::lock_guard const held(lock_);
    return (!items_.empty() || slot_is_filled()) && of(is_in_slot());
  }

  // Invariants (count) and (order): tagged_queue.md.
  typename Sync::template atomic<std::size_t> size_{0};
  typename Sync::template atomic<slot> slot_{slot::free};
  Lock lock_;
  bool const takes_entries_ = true;
  typename Sync::template plain<Item> item_;  ///< in the slot
  waiting_line<Item> items_;                  ///< oldest first
};

}}}  // namespace skua::v0::runtime
