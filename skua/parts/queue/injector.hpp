// SPDX-License-Identifier: MIT
// The queue for tasks from outside: many producers, many consumers, first in, first out. Intrusive, so that a push
// never allocates; a lock around two pointers, and a count that can be read without the lock. Proof: injector.md.
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <utility>

#include "skua/parts/base/assert.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/parts/base/sync.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// Base of what can be injected. The injector owns it from `push` until `pop` returns it.
struct injectable {
  injectable* next = nullptr;
};

template <synchronisation Sync = real_sync>
class injector {
 public:
  injector() = default;
  injector(injector const&) = delete;
  injector& operator=(injector const&) = delete;
  ~injector() { invariant(first_ == nullptr, "an injector dies empty"); }

  /// Any thread. Sequentially consistent: if the caller then reads (seq_cst) a count of sleepers, it sees every sleeper
  /// that did not see this item. One uncontended lock.
  void push(injectable& item) noexcept {
    item.next = nullptr;
    std::lock_guard const held(lock_);
    (first_ == nullptr ? first_ : last_->next) = &item;
    last_ = &item;
    // seq_cst: before the caller's look at the sleepers. Partner: size_hint, after a sleeper's announcement.
    size_.fetch_add(1, std::memory_order_seq_cst);
  }

  /// Any thread: the oldest item, or null. Does not lock while empty.
  [[nodiscard]] injectable* pop() noexcept {
    return pop_if([](injectable const&) { return true; });
  }
  /// The same if is_wanted(oldest); null also if it is not. is_wanted is called under the lock.
  template <class IsWanted>
  [[nodiscard]] injectable* pop_if(IsWanted const& is_wanted) noexcept {
    if (looks_empty()) return nullptr;
    std::lock_guard const held(lock_);
    auto* const oldest = first_;
    if (oldest == nullptr || !is_wanted(*oldest)) return nullptr;
    first_ = oldest->next;
    size_.fetch_sub(1, std::memory_order_relaxed);  // relaxed: a count too large for a moment costs a taker the lock
    return oldest;
  }

  /// Any thread: takes this item out, wherever it is in the line; false if it is not here. O(items).
  bool remove(injectable& item) noexcept {
    return take_first([&item](injectable const& i) { return &i == &item; }) != nullptr;
  }
  /// Any thread: takes the oldest item for which is_wanted(item) holds; null: there is none. is_wanted is called under the lock. O(items).
  template <class IsWanted>
  [[nodiscard]] injectable* take_first(IsWanted const& is_wanted) noexcept {
    std::lock_guard const held(lock_);
    injectable* before = nullptr;
    injectable* at = first_;
    while (at != nullptr && !is_wanted(*at)) before = std::exchange(at, at->next);
    if (at == nullptr) return nullptr;
    (before == nullptr ? first_ : before->next) = at->next;
    if (last_ == at) last_ = before;
    size_.fetch_sub(1, std::memory_order_relaxed);  // relaxed: as in pop
    return at;
  }

  /// The number of items, without the lock: exact while no thread pushes or pops.
  [[nodiscard]] std::size_t size_hint() const noexcept {
    return size_.load_hint(std::memory_order_seq_cst);  // after the caller's announcement. Partner: push, size_
  }

  /// A sleeper that announces itself (seq_cst) and then finds this true will be seen by the next pusher.
  [[nodiscard]] bool looks_empty() const noexcept { return size_hint() == 0; }
  /// The address at which others may read the number of items.
  [[nodiscard]] void const* published() const noexcept { return &size_; }

 private:
  // Invariant (count): while lock_ is free, size_ is the length of the list from first_ to last_.
  alignas(cache_line_bytes) typename Sync::template atomic<std::size_t> size_{0};
  typename Sync::mutex lock_;
  injectable* first_ = nullptr;
  injectable* last_ = nullptr;
};

}}}  // namespace skua::v0::runtime
