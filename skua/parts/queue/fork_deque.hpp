// SPDX-License-Identifier: MIT
// The work-stealing deque of the joins of one fiber: an array with a slot for each open join, in the order of their nesting.
// The owner is always told which slot is meant, so it reads no bottom: a slot is full while its join is open, and thieves find the end of
// the deque at the first empty one. The head of the array travels in a register, as in Lace (van Dijk and van de Pol,
// 2014). Biased towards its owner as deque.hpp is, with the same guard and limit. States, invariants and proof:
// fork_deque.md.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <new>

#include "skua/parts/base/assert.hpp"
#include "skua/parts/base/bias_rule.hpp"
#include "skua/parts/base/outcome.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/parts/base/sync.hpp"
#include "skua/parts/queue/deque.hpp"
#include "skua/parts/queue/deque_options.hpp"
#include "skua/parts/queue/fork_words.hpp"
#include "skua/parts/queue/owner_bias.hpp"
#include "skua/parts/queue/ring.hpp"

namespace skua { inline namespace v0 { namespace runtime {

template <synchronisation Sync = real_sync>
class fork_deque;

/// The place of one open join. Full from its push to its pop, also when a thief has taken the entry.
template <synchronisation Sync = real_sync>
struct alignas(std::max(std::size_t{32}, alignof(typename Sync::template atomic<void*>))) fork_slot {
  explicit fork_slot(fork_deque<Sync>& of) noexcept : deque(&of) {}
  fork_slot(fork_slot const&) = delete;
  fork_slot& operator=(fork_slot const&) = delete;

  typename Sync::template atomic<void*> task{nullptr};
  typename Sync::template atomic<std::uint64_t> extra{0};
  fork_deque<Sync>* const deque;
};

/// Only the owner uses its members, except `outside`. The deque must outlive every use of its victims.
template <synchronisation Sync>
class alignas(cache_line_bytes) fork_deque : private fork_words {
 public:
  class victim;
  using slot_type = fork_slot<Sync>;

  /// `capacity`: open joins, 3 to most_capacity. Only slots that were reached are ever written. Throws std::bad_alloc.
  explicit fork_deque(deque_options const& options);
  ~fork_deque() { memory_->deallocate(slots_ - 1, (capacity_ + 1) * sizeof(slot_type), alignof(slot_type)); }
  fork_deque(fork_deque const&) = delete;
  fork_deque& operator=(fork_deque const&) = delete;

  static constexpr std::size_t most_capacity = most_slots;

  /// Adds the newest entry. `at`: the slot behind that of the join around, or the first. True: call `poll` before anything else. Leaves
  /// `extra` as some earlier push left it.
  [[nodiscard]] bool push(slot_type& at, void* task) noexcept {
    at.task.store(task, std::memory_order_release);  // publishes the entry. Partner: steal, second load of the slot
    Sync::light_fence();  // the entry before the limit. Partner: short_wait, after request_attention
    return limit_.load(std::memory_order_relaxed) <= address_of(at);  // relaxed: poll acquires
  }
  [[nodiscard]] bool push(slot_type& at, void* task, std::uint64_t extra) noexcept {
    at.extra.store(extra, std::memory_order_relaxed);  // relaxed: published by the task
    return push(at, task);
  }

  /// Removes the newest entry, which was pushed at `at`; false if a thief, or pop_oldest, has taken it.
  [[nodiscard]] bool pop(slot_type& at) noexcept {
    at.task.store(nullptr, std::memory_order_relaxed);  // relaxed: who finds it empty reads nothing else
    Sync::light_fence();                                // the claim before the guard. Partner: revoke, heavy fence
    if (guard_.load(std::memory_order_relaxed) < address_of(at)) [[likely]]  // relaxed: the fences order it
      return true;
    return pop_guarded(at);
  }

  /// The same, but a join whose entry was taken stays open.
  [[nodiscard]] bool take_back(slot_type& at) noexcept;

  /// Call it after a push at `at` that returned true. Makes room for the next push. If it reports a request for attention,
  /// everything that a requester did before its request happens before this returns.
  attention poll() noexcept;
  /// For the owner of a deque with `polls_always`, after a push at `at` that returned true: true if nobody has requested attention, and there is room
  /// for the next push. Then no poll is needed. Cost: two loads.
  [[nodiscard]] bool is_calm(slot_type& at) noexcept {
    return limit_.load(std::memory_order_relaxed) == always_mark && make_room(index_of(at));  // relaxed: as push
  }
  /// For an owner whose every push is to ask for attention: makes room for the next push as poll does, and leaves the
  /// request where it is, so that no locked instruction is needed. False: no memory, as `full`.
  [[nodiscard]] bool make_room_and_keep_request() noexcept { return make_room(index_of(first_free())); }
  /// For the owner: the next push asks for attention.
  void request_attention() noexcept {
    // relaxed: only we clear requests, so a pending one stays.
    if (limit_.load(std::memory_order_relaxed) != attention_mark) outside().request_attention();
  }

  /// Removes the oldest entry, as a thief would, but without revoking the bias; false if there is none or a thief has
  /// taken it. Its slot stays full, as that of a stolen one.
  [[nodiscard]] bool pop_oldest(entry& oldest) noexcept;
  /// For the owner: true if there is none. A hint: a thief may be about to take the last one.
  [[nodiscard]] bool is_empty() const noexcept { return oldest_slot().task.load(std::memory_order_relaxed) == nullptr; }

  /// The slot of the next push: the one behind the open joins. O(log n) for n slots since the last call or hint; mostly two loads.
  [[nodiscard]] slot_type& first_free() noexcept {
    slot_type* const hint = free_.get();
    return is_full(*hint) || !is_full(hint[-1]) ? search_free(*hint) : *hint;
  }
  /// A hint for it.
  void free_is(slot_type& at) noexcept { free_.set(&at); }
  [[nodiscard]] std::int64_t index_of(slot_type const& s) const noexcept { return &s - slots_; }

  /// For the owner: calls f(task, place) for each entry that was taken by others since the last call, oldest first. Entries whose
  /// joins have ended are forgotten.
  template <class F>
  void each_stolen(F&& f) noexcept {
    auto const t = static_cast<std::int64_t>(top_index());
    for (std::int64_t i = stolen_before_.get(); i < t; ++i) f(slots_[i].task.load(std::memory_order_relaxed), i);
    stolen_before_.set(t);
  }
  /// True if each_stolen would find entries. A hint.
  [[nodiscard]] bool may_have_stolen() const noexcept {
    return stolen_before_.get() < static_cast<std::int64_t>(top_index());
  }

  [[nodiscard]] victim outside() noexcept { return victim{*this}; }
  [[nodiscard]] fences kind() const noexcept { return bias_.kind(); }

 private:
  static address address_of(slot_type const& s) noexcept { return reinterpret_cast<address>(&s); }
  address address_at(std::size_t index) const noexcept { return address_of(slots_[index]); }
  address address_before(std::size_t index) const noexcept {
    return address_at(index) - static_cast<address>(sizeof(slot_type));
  }
  static bool is_full(slot_type const& s) noexcept {
    return s.task.load(std::memory_order_relaxed) != nullptr;  // relaxed: ours
  }
  [[nodiscard]] slot_type& search_free(slot_type& hint) noexcept;
  std::size_t top_index() const noexcept {
    // acquire: the slot there has been made. Partner: push, by way of the thief that moved the top.
    return fork_words::index_of(top_.load(std::memory_order_acquire));
  }
  slot_type const& oldest_slot() const noexcept { return slots_[top_index()]; }

  [[gnu::noinline]] bool pop_guarded(slot_type& at) noexcept;
  bool leave_at(std::size_t index, top_word& seen) noexcept;
  top_word answer(top_word seen) noexcept { return bias_.answer(top_, guard_, seen, rule_); }
  void count_undisturbed(top_word found, top_word left) noexcept {
    bias_.count_undisturbed(top_, guard_, found, left, address_at(fork_words::index_of(left)), rule_);
  }
  bool make_room(std::int64_t newest) noexcept;
  address usual_limit() const noexcept { return polls_always_ ? always_mark : address_at(made_.get() - 2); }

  // The thieves' line.
  typename Sync::template atomic<top_word> top_{0};
  slot_type* const slots_;  // behind one that is always full
  std::size_t const capacity_;
  owned<std::size_t> made_{0};  // slots; the owner's
  std::pmr::memory_resource* const memory_;
  bias_rule rule_;

  // The owner's line:
  //  room: limit_ is 0 (attention is requested), 1 (every push polls), or the address of a slot behind which two more were made.
  //  guard: a finite guard is at least every slot that the top was at while it was open, with the present stamp, and
  //    at least the slot before the top.
  alignas(cache_line_bytes) typename Sync::template atomic<address> limit_{attention_mark};
  typename Sync::template atomic<address> guard_{beyond_all};  // pop needs no fence above it
  bool const polls_always_;
  owned<std::int64_t> stolen_before_{0};  // each_stolen
  owned<slot_type*> free_;                // the first free one, lately
  owner_bias<Sync, fork_words> bias_;
};

/// A deque as seen by other threads. A pointer: copy it freely.
template <synchronisation Sync>
class fork_deque<Sync>::victim {
 public:
  explicit victim(fork_deque& d) noexcept : deque_(&d) {}

  /// As deque::victim::steal.
  outcome steal(entry& oldest, revocation_count& spent) const noexcept;
  outcome steal(entry& oldest) const noexcept {
    revocation_count unused;
    return steal(oldest, unused);
  }
  /// The number of entries. A hint, as deque::victim::size_hint. O(n).
  [[nodiscard]] std::size_t size_hint() const noexcept;
  /// A hint, too; what it means after `request_attention` and a heavy fence: fork_deque.md.
  [[nodiscard]] bool looks_empty() const noexcept { return deque_->is_empty(); }
  /// Makes the owner's next push return true, and the `poll` after it report the request.
  void request_attention() const noexcept {
    // As deque::victim::request_attention. Partner: poll, exchange.
    deque_->limit_.exchange(attention_mark, std::memory_order_acq_rel);
  }

 private:
  [[gnu::noinline]] bool revoke(top_word& seen, revocation_count& spent) const noexcept {
    return owner_bias<Sync, fork_words>::revoke(deque_->top_, deque_->guard_, seen, spent);
  }

  fork_deque* deque_;
};

}}}  // namespace skua::v0::runtime

#include "skua/parts/queue/fork_deque_cold.hpp"

namespace skua { inline namespace v0 { namespace runtime {

extern template class fork_deque<real_sync>;  // fork_deque.cpp: programs compile push and pop only

}}}  // namespace skua::v0::runtime
