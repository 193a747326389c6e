// SPDX-License-Identifier: MIT
// The rest of fork_deque.hpp: what happens when a thief has come, when the array ends, and what thieves do.
#pragma once

#include <algorithm>

#include "skua/parts/queue/fork_deque.hpp"

namespace skua { inline namespace v0 { namespace runtime {

template <synchronisation Sync>
fork_deque<Sync>::fork_deque(deque_options const& options)
    : slots_(static_cast<slot_type*>(
                 options.memory->allocate((options.capacity + 1) * sizeof(slot_type), alignof(slot_type))) +
             1),
      capacity_(options.capacity), memory_(options.memory), rule_(options.bias_after),
      polls_always_(options.polls_always), free_(slots_), bias_(options.kind, options.bias_after) {
  expects(options.capacity >= 3 && options.capacity <= most_capacity, "a fork_deque has room for 3 to 2^20 - 1 joins");
  if (bias_.is_held()) {
    top_.store(with(0, bias::owner), std::memory_order_relaxed);  // relaxed, here and below: we are not shared yet
    guard_.store(address_before(0), std::memory_order_relaxed);
  }
  ::new (static_cast<void*>(slots_ - 1)) slot_type(*this);
  slots_[-1].task.store(this, std::memory_order_relaxed);
  static_cast<void>(make_room(-1));
  limit_.store(usual_limit(), std::memory_order_relaxed);
}

/// Makes slots, so that there are two behind that of the newest entry: thieves look at the one behind the last entry.
template <synchronisation Sync>
bool fork_deque<Sync>::make_room(std::int64_t newest) noexcept {
  std::size_t const at_once = std::clamp(capacity_ / 4, std::size_t{2}, std::size_t{4096 / sizeof(slot_type)});
  std::size_t const made = made_.get();
  auto const needed = static_cast<std::size_t>(newest + 3);
  if (needed <= made) return true;
  if (needed > capacity_) return false;
  std::size_t const more = made + at_once < capacity_ ? made + at_once : capacity_;
  for (std::size_t i = made; i < more; ++i) ::new (static_cast<void*>(slots_ + i)) slot_type(*this);
  made_.set(more);
  return true;
}

template <synchronisation Sync>
attention fork_deque<Sync>::poll() noexcept {
  if (!make_room(index_of(first_free()) - 1)) return attention::full;
  // A read-modify-write, so that no request is overwritten unseen. Acquire: what requesters announced before.
  // Partner: request_attention.
  return limit_.exchange(usual_limit(), std::memory_order_acq_rel) == attention_mark ? attention::requested
                                                                                     : attention::calm;
}

template <synchronisation Sync>
auto fork_deque<Sync>::search_free(slot_type& hint) noexcept -> slot_type& {
  // All slots up to `below` are full, those from `above` on are free.
  slot_type* below = slots_ - 1;
  slot_type* above = slots_ + (made_.get() - 1);
  std::ptrdiff_t step = 1;
  if (is_full(hint)) {
    for (below = &hint; above - below > step && is_full(below[step]); step *= 2) below += step;
    if (above - below > step) above = below + step;
  } else {
    for (above = &hint; above - below > step && !is_full(*(above - step)); step *= 2) above -= step;
    if (above - below > step) below = above - step;
  }
  while (above - below > 1) {
    slot_type* const middle = below + (above - below) / 2;
    (is_full(*middle) ? below : above) = middle;
  }
  free_.set(above);
  return *above;
}

template <synchronisation Sync>
bool fork_deque<Sync>::pop_guarded(slot_type& at) noexcept {
  // Acquire: a top no older than the revocation whose infinity we have read. Partner: revoke.
  static_cast<void>(guard_.load(std::memory_order_acquire));
  auto const mine = static_cast<std::size_t>(index_of(at));
  top_word seen = top_.load(std::memory_order_relaxed);  // relaxed: a stale one is fenced or exchanged
  if (bias_of(seen) == bias::revoking) seen = answer(seen);
  if (is_open(seen) && fork_words::index_of(seen) < mine) {
    Sync::full_fence();                           // the claim before the look at the top. Partner: steal, full fence
    seen = top_.load(std::memory_order_acquire);  // a stale top fails below. Acquire: as count_undisturbed requires
    if (fork_words::index_of(seen) < mine) {
      count_undisturbed(seen, seen);
      return true;
    }
  }
  top_word const found = seen;
  bool const won = leave_at(mine, seen);
  if (won && is_open(seen)) count_undisturbed(found, seen);
  return won;
}

template <synchronisation Sync>
bool fork_deque<Sync>::take_back(slot_type& at) noexcept {
  void* const task = at.task.load(std::memory_order_relaxed);  // relaxed: ours
  std::int64_t const told = stolen_before_.get();
  if (pop(at)) return true;
  top_word seen = top_.load(std::memory_order_relaxed);  // relaxed: the exchange decides
  static_cast<void>(leave_at(static_cast<std::size_t>(index_of(at)) + 1, seen));
  stolen_before_.set(told);
  at.task.store(task, std::memory_order_relaxed);  // after the top: no thief takes it again
  return false;
}

/// For the owner, whose newest entry was at this index, where it has emptied the slot: from here on the deque is empty, and its next entry
/// comes to this index. Returns true if the entry had not been taken. `seen`: a top that was read; then the one that was left.
template <synchronisation Sync>
bool fork_deque<Sync>::leave_at(std::size_t index, top_word& seen) noexcept {
  if (stolen_before_.get() > static_cast<std::int64_t>(index)) stolen_before_.set(static_cast<std::int64_t>(index));
  for (;;) {
    if (bias_of(seen) == bias::revoking) {
      seen = answer(seen);
      continue;
    }
    // Before the exchange, which releases it: a thief that revokes after that overwrites it. If one has revoked before, the exchange fails,
    // and `answer` writes infinity.
    if (bias_of(seen) == bias::owner) guard_.store(address_before(index), std::memory_order_relaxed);
    top_word const left = restamped(seen, index);
    // seq_cst: one order of all moves of the top. Partner: steal. Acquire, also of a failure: as count_undisturbed requires.
    if (top_.compare_exchange_strong(seen, left, std::memory_order_seq_cst, std::memory_order_acquire)) {
      bool const won = fork_words::index_of(seen) == index;
      seen = left;
      if (is_open(seen)) guard_.store(beyond_all, std::memory_order_relaxed);  // we may have written a slot above
      return won;
    }
  }
}

template <synchronisation Sync>
bool fork_deque<Sync>::pop_oldest(entry& oldest) noexcept {
  top_word seen = top_.load(std::memory_order_relaxed);  // relaxed: the exchange decides
  std::size_t const t = fork_words::index_of(seen);
  auto const& slot = slots_[t];
  // relaxed, both: only we write slots.
  entry const found{slot.task.load(std::memory_order_relaxed), slot.extra.load(std::memory_order_relaxed)};
  if (found.task == nullptr) return false;
  while (fork_words::index_of(seen) == t) {
    if (bias_of(seen) == bias::revoking) {
      seen = answer(seen);
      continue;
    }
    if (bias_of(seen) == bias::owner) guard_.store(address_at(t), std::memory_order_relaxed);  // as in leave_at
    // seq_cst: as there.
    if (top_.compare_exchange_strong(seen, moved(seen), std::memory_order_seq_cst, std::memory_order_relaxed)) {
      if (is_open(seen)) guard_.store(beyond_all, std::memory_order_relaxed);
      oldest = found;
      return true;
    }
  }
  if (is_open(seen)) guard_.store(beyond_all, std::memory_order_relaxed);
  return false;
}

template <synchronisation Sync>
outcome fork_deque<Sync>::victim::steal(entry& oldest, revocation_count& spent) const noexcept {
  auto& d = *deque_;
  // Acquire: a thief that finds that the owner has moved its entries to another lane finds them there; and the slot that the top is at.
  // Partners: pop_oldest, leave_at.
  top_word seen = d.top_.load(std::memory_order_acquire);
  // relaxed: saves the rest
  if (d.slots_[fork_words::index_of(seen)].task.load(std::memory_order_relaxed) == nullptr) return outcome::empty;
  if (!is_open(seen) && !revoke(seen, spent)) return outcome::lost;
  auto const& slot = d.slots_[fork_words::index_of(seen)];
  // The top before the slot: either we see that the owner claims our entry, or it sees the top we saw.
  // Partner: pop_guarded, full fence.
  Sync::full_fence();
  void* const task = slot.task.load(std::memory_order_acquire);  // the entry. Partner: push
  if (task == nullptr) return outcome::empty;
  // Relaxed, and before the exchange: once it succeeds, the entry that we read is ours.
  entry const found{task, slot.extra.load(std::memory_order_relaxed)};
  top_word const at = with(seen, bias::none);
  do {
    // seq_cst: one order of all moves of the top.
    if (d.top_.compare_exchange_strong(seen, moved(seen), std::memory_order_seq_cst, std::memory_order_relaxed)) {
      oldest = found;
      return outcome::got;
    }
  } while (with(seen, bias::none) == at && is_open(seen));  // only the revocation has ended meanwhile
  return outcome::lost;
}

template <synchronisation Sync>
std::size_t fork_deque<Sync>::victim::size_hint() const noexcept {
  std::size_t const first = deque_->top_index();
  std::size_t i = first;
  while (i < deque_->capacity_ && deque_->slots_[i].task.load(std::memory_order_relaxed) != nullptr)
    ++i;  // relaxed: a hint
  return i - first;
}

}}}  // namespace skua::v0::runtime
