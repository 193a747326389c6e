// SPDX-License-Identifier: MIT
// The work-stealing deque: one owner pushes and pops at the bottom, thieves take from the top. After Chase & Lev (2005)
// and Le, Pop, Cohen, Zappa Nardelli (2013); growable, and biased towards its owner: no fence and no locked instruction
// on the owner's hot path until a thief comes. States, invariants and proof: deque.md.
//
// Two words keep push and pop short. The limit: push compares the bottom with one word that says where the ring ends as
// far as the owner knows; others overwrite it with 0 to get the owner's attention (`victim::request_attention`). The
// guard: pop compares the bottom with one word that says which entries it may take without a fence; a thief overwrites
// it with infinity to revoke the bias. Each sends its operation to a slow path, so the hot path tests no flag.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <new>

#include "skua/parts/base/assert.hpp"
#include "skua/parts/base/bias_rule.hpp"
#include "skua/parts/base/outcome.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/parts/base/sync.hpp"
#include "skua/parts/queue/deque_options.hpp"
#include "skua/parts/queue/deque_words.hpp"
#include "skua/parts/queue/owner_bias.hpp"
#include "skua/parts/queue/ring.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// Why a push returned true.
enum class attention : std::uint8_t {
  calm,       ///< no request: the ring has grown, or the owner has read the top anew
  requested,  ///< a thread called `request_attention` since the last poll
  full,  ///< no memory to grow: pop what was pushed and run it at once; another push would overwrite the oldest entry
};

/// Only the owner uses its members, except `outside`. The deque must outlive every use of its victims.
template <synchronisation Sync = real_sync>
class deque : private deque_words {
 public:
  class victim;

  /// Distance between entries in the units of `published`.
  static constexpr auto step = static_cast<std::int64_t>(sizeof(slot<Sync>));

  /// Throws std::bad_alloc.
  explicit deque(deque_options options = {.kind = Sync::kind()});
  ~deque() { delete_rings(); }
  deque(deque const&) = delete;
  deque& operator=(deque const&) = delete;

  /// Adds the newest entry. True: call `poll` before anything else. Leaves `extra` as some earlier push left it.
  [[nodiscard]] bool push(void* task) noexcept {
    auto const b = bottom_.load(std::memory_order_relaxed);  // relaxed: only we write it
    place(b).task.store(task, std::memory_order_relaxed);    // relaxed: published by the bottom
    return publish(b);
  }
  [[nodiscard]] bool push(void* task, std::uint64_t extra) noexcept {
    auto const b = bottom_.load(std::memory_order_relaxed);  // relaxed: as above
    auto& slot = place(b);
    slot.task.store(task, std::memory_order_relaxed);
    slot.extra.store(extra, std::memory_order_relaxed);
    return publish(b);
  }

  /// Call it after a push that returned true. Makes room for the next push. If it reports a request for attention,
  /// everything that a requester did before its request happens before this returns.
  attention poll() noexcept;

  /// For the owner: the next push asks for attention.
  void request_attention() noexcept {
    // relaxed: only we clear requests, so a pending one stays.
    if (limit_.load(std::memory_order_relaxed) != attention_mark) outside().request_attention();
  }

  /// Makes room for two pushes, so that one more push needs no memory; false if there is no memory for that.
  [[nodiscard]] bool reserve() noexcept {
    auto const b = bottom_.load(std::memory_order_relaxed) + step;     // relaxed: only we write it
    auto const t = position_of(top_.load(std::memory_order_acquire));  // acquire: as in poll
    return b - t <= static_cast<position>(mask_) || grow(t, b - step);
  }

  /// Removes the newest entry; false if there is none or a thief has taken it.
  [[nodiscard]] bool pop() noexcept {
    return pop_at(bottom_.load(std::memory_order_relaxed) - step);  // relaxed: only we write it
  }
  [[nodiscard]] bool pop(entry& newest) noexcept {
    entry const seen = newest_slot();
    if (!pop()) return false;
    newest = seen;
    return true;
  }
  /// Removes the newest entry if it was pushed with this `extra`: its task; null also if there is none or a thief has taken it.
  [[nodiscard]] void* pop_if(std::uint64_t extra) noexcept {
    position const b = bottom_.load(std::memory_order_relaxed) - step;  // relaxed, all: as above
    auto const& newest = place(b);                                      // of an empty deque: stale, and the pop fails
    if (newest.extra.load(std::memory_order_relaxed) != extra) return nullptr;
    void* const task = newest.task.load(std::memory_order_relaxed);
    return pop_at(b) ? task : nullptr;
  }

  /// Removes the oldest entry, as a thief would, but without revoking the bias; false if there is none or a thief has
  /// taken it.
  [[nodiscard]] bool pop_oldest(entry& oldest) noexcept;

  /// The entry that `pop` would remove; a thief may take it first, or may have taken it already.
  /// False if there is none for certain.
  [[nodiscard]] bool peek(entry& newest) const noexcept {
    // Relaxed: a stale top only makes a taken entry look present.
    if (position_of(top_.load(std::memory_order_relaxed)) >= bottom_.load(std::memory_order_relaxed)) return false;
    newest = newest_slot();
    return true;
  }

  [[nodiscard]] victim outside() noexcept { return victim{*this}; }
  /// The addresses at which others may read bottom and top, whose two lowest bits do not count; their difference is the length, in steps.
  [[nodiscard]] std::array<void const*, 2> published() const noexcept { return {&bottom_, &top_}; }
  [[nodiscard]] fences kind() const noexcept { return bias_.kind(); }

 private:
  using ring_type = ring<Sync>;
  static_assert(step % 4 == 0, "room for the state below a position");

  slot<Sync>& place(position p) const noexcept { return ring_type::at(slots_, mask_, p); }

  bool pop_at(position b) noexcept {
    bottom_.store(b, std::memory_order_release);  // a thief that reads this b may steal entries below it: steal, bottom
    Sync::light_fence();                          // the claim on b before the guard. Partner: revoke, heavy fence
    if (guard_.load(std::memory_order_relaxed) < b) [[likely]]  // relaxed: the fences order it
      return true;
    return pop_guarded(b);
  }
  bool publish(position b) noexcept {
    bottom_.store(b + step, std::memory_order_release);  // publishes the slot. Partner: steal, second load of bottom
    Sync::light_fence();  // the entry before the limit. Partner: short_wait, after request_attention
    return limit_.load(std::memory_order_relaxed) <= b + step;  // relaxed: poll acquires
  }

  [[gnu::noinline]] bool pop_guarded(position b) noexcept;
  bool take_top(top_word& seen) noexcept;
  top_word answer(top_word seen) noexcept { return bias_.answer(top_, guard_, seen, rule_); }
  void count_undisturbed(top_word found, top_word left) noexcept {
    bias_.count_undisturbed(top_, guard_, found, left, position_of(left), rule_);
  }
  bool grow(position top, position bottom) noexcept;
  void delete_rings() noexcept;

  entry newest_slot() const noexcept {
    auto const& slot = place(bottom_.load(std::memory_order_relaxed) - step);
    return {slot.task.load(std::memory_order_relaxed), slot.extra.load(std::memory_order_relaxed)};  // relaxed: ours
  }

  // The owner's line:
  //  room: limit_ is 0 (attention is requested), or at most top + capacity; between a push's poll and the next push,
  //    bottom - top < capacity.
  //  guard: a finite guard is at least every position that the top ever had while is_open, and at least top - step.
  alignas(cache_line_bytes) typename Sync::template atomic<position> bottom_{0};
  typename Sync::template atomic<position> limit_{attention_mark};  // a push that reaches it must poll
  typename Sync::template atomic<position> guard_{-step};           // pop needs no fence above it
  std::byte* slots_ = nullptr;                                      // of the newest ring
  std::uint64_t mask_ = 0;
  typename Sync::template atomic<ring_type*> ring_{nullptr};
  owner_bias<Sync, deque_words> bias_;

  // The thieves' line.
  alignas(cache_line_bytes) typename Sync::template atomic<top_word> top_{0};
  std::pmr::memory_resource* memory_;
  bias_rule rule_;
};

/// A deque as seen by other threads. A pointer: copy it freely.
template <synchronisation Sync>
class deque<Sync>::victim {
 public:
  explicit victim(deque& d) noexcept : deque_(&d) {}

  /// Takes the oldest entry: got, empty or lost. Revokes the bias first, if the owner has it: at most one heavy fence
  /// for each revocation. `lost` also while another thief revokes.
  outcome steal(entry& oldest, revocation_count& spent) const noexcept;
  outcome steal(entry& oldest) const noexcept {
    revocation_count unused;
    return steal(oldest, unused);
  }

  /// The approximate number of entries. It takes no fence, so concurrent operations may make it wrong in both directions.
  [[nodiscard]] std::size_t size_hint() const noexcept {
    position const t = position_of(deque_->top_.load(std::memory_order_relaxed));  // relaxed, both: a hint
    position const b = deque_->bottom_.load(std::memory_order_relaxed);
    return b > t ? static_cast<std::size_t>((b - t) / step) : 0;
  }
  /// A hint, too; what it means after `request_attention` and a heavy fence: deque.md. A caller that can see an entry's
  /// push reads a bottom above the entry, so it finds the deque not empty until the top has passed the entry.
  [[nodiscard]] bool looks_empty() const noexcept {
    auto const t = position_of(deque_->top_.load(std::memory_order_relaxed));  // relaxed, both: in any order
    return deque_->bottom_.load(std::memory_order_relaxed) <= t;
  }
  /// Makes the owner's next push return true, and the `poll` after it report the request.
  void request_attention() const noexcept {
    // Release: the poll that finds the mark sees what we announced before. A read-modify-write, so that a second
    // request does not hide what the first announced. Partner: poll, exchange.
    deque_->limit_.exchange(attention_mark, std::memory_order_acq_rel);
  }

 private:
  [[gnu::noinline]] bool revoke(top_word& seen, revocation_count& spent) const noexcept {
    return owner_bias<Sync, deque_words>::revoke(deque_->top_, deque_->guard_, seen, spent);
  }

  deque* deque_;
};

template <synchronisation Sync>
deque<Sync>::deque(deque_options options)
    : bias_(options.kind, options.bias_after), memory_(options.memory), rule_(options.bias_after) {
  expects(options.capacity >= 2 && std::has_single_bit(options.capacity), "a deque's capacity is a power of two >= 2");
  if (bias_.is_held()) {
    top_.store(with(0, bias::owner), std::memory_order_relaxed);  // relaxed, here and below: we are not shared yet
  } else {
    guard_.store(beyond_all, std::memory_order_relaxed);
  }
  auto* const first = ring_type::make(*memory_, options.capacity, nullptr);
  slots_ = first->slots();
  mask_ = first->mask();
  ring_.store(first, std::memory_order_relaxed);
  limit_.store(first->bytes(), std::memory_order_relaxed);
}

template <synchronisation Sync>
attention deque<Sync>::poll() noexcept {
  auto const b = bottom_.load(std::memory_order_relaxed);
  // Acquire: a thief has read its slot before it moved the top past it, and we are about to write that slot again.
  // Partner: steal, compare-exchange.
  auto const t = position_of(top_.load(std::memory_order_acquire));
  if (b - t > static_cast<position>(mask_) && !grow(t, b)) return attention::full;
  auto const room = t + static_cast<position>(mask_) + 1;
  invariant(b < room, "room");
  // A read-modify-write, so that no request is overwritten unseen. Acquire: what requesters announced before.
  // Partner: request_attention.
  return limit_.exchange(room, std::memory_order_acq_rel) == attention_mark ? attention::requested : attention::calm;
}

template <synchronisation Sync>
bool deque<Sync>::pop_guarded(position b) noexcept {
  // Acquire: a top no older than the revocation whose infinity we have read. A top from before it has the bias, so it
  // is neither fenced nor exchanged below, and the pop would fail although no thief has its entry. Partner: revoke.
  static_cast<void>(guard_.load(std::memory_order_acquire));
  top_word seen =
      top_.load(std::memory_order_relaxed);  // relaxed: one that is stale all the same is fenced or exchanged
  if (bias_of(seen) == bias::revoking) seen = answer(seen);
  if (is_open(seen) && position_of(seen) < b) {
    Sync::full_fence();  // the claim on b before the look at the top. Partner: steal, full fence
    seen = top_.load(std::memory_order_acquire);  // a stale top fails below. Acquire: as count_undisturbed requires
    if (position_of(seen) < b) {
      count_undisturbed(seen, seen);
      return true;
    }
  }
  bool const won = position_of(seen) == b && take_top(seen);    // the first to move the top gets the last entry
  bottom_.store(position_of(seen), std::memory_order_release);  // release: may be seen before the exchange is
  if (!won) return false;
  if (is_open(seen)) count_undisturbed(b, seen);
  return true;
}

template <synchronisation Sync>
bool deque<Sync>::pop_oldest(entry& oldest) noexcept {
  top_word seen = top_.load(std::memory_order_relaxed);  // relaxed: the exchange decides
  position const t = position_of(seen);
  if (bottom_.load(std::memory_order_relaxed) <= t) return false;  // relaxed: only we write it
  // Before the exchange, which releases it: a thief that revokes after that overwrites it. If a thief has revoked before, the
  // exchange fails, and we write infinity below, or in `answer`.
  if (bias_of(seen) == bias::owner) guard_.store(t, std::memory_order_relaxed);
  auto const& slot = place(t);
  // relaxed, both: only we write slots.
  entry const found{slot.task.load(std::memory_order_relaxed), slot.extra.load(std::memory_order_relaxed)};
  bool const won = take_top(seen);
  if (is_open(seen)) guard_.store(beyond_all, std::memory_order_relaxed);
  if (won) oldest = found;
  return won;
}

/// For the owner: moves the top over the entry at the position that was `seen`; false if a thief has moved it. Then
/// `seen` is the top that was left or found.
template <synchronisation Sync>
bool deque<Sync>::take_top(top_word& seen) noexcept {
  position const t = position_of(seen);
  while (position_of(seen) == t) {
    if (bias_of(seen) == bias::revoking) {
      seen = answer(seen);
      continue;
    }
    // seq_cst: one order of all moves of the top. Partner: steal.
    if (top_.compare_exchange_strong(seen, seen + step, std::memory_order_seq_cst, std::memory_order_relaxed)) {
      seen += step;
      return true;
    }
  }
  return false;
}

template <synchronisation Sync>
bool deque<Sync>::grow(position t, position b) noexcept {
  // Relaxed: only the owner writes ring_ and the slots.
  auto* const old = ring_.load(std::memory_order_relaxed);
  ring_type* bigger = nullptr;
  try {
    bigger = ring_type::make(*memory_, 2 * old->capacity(), old);
  } catch (std::bad_alloc const&) {
    return false;
  }
  for (position p = t; p < b; p += step) {
    auto const& from = old->at(p);
    bigger->at(p).task.store(from.task.load(std::memory_order_relaxed), std::memory_order_relaxed);
    bigger->at(p).extra.store(from.extra.load(std::memory_order_relaxed), std::memory_order_relaxed);
  }
  ring_.store(bigger, std::memory_order_release);  // publishes the copies. Partner: steal, load of the ring
  slots_ = bigger->slots();
  mask_ = bigger->mask();
  return true;
}

template <synchronisation Sync>
void deque<Sync>::delete_rings() noexcept {
  for (auto* r = ring_.load(std::memory_order_relaxed); r != nullptr;) {  // relaxed: no other thread uses us any more
    auto* const older = r->older();
    ring_type::destroy(*memory_, r);
    r = older;
  }
}

template <synchronisation Sync>
outcome deque<Sync>::victim::steal(entry& oldest, revocation_count& spent) const noexcept {
  auto& d = *deque_;
  // Acquire: a thief that finds that the owner has moved its entries to another lane finds them there. Partner: take_top. The
  // full fence, or revoke, orders the entry that we take ourselves.
  top_word seen = d.top_.load(std::memory_order_acquire);
  if (d.bottom_.load(std::memory_order_relaxed) <= position_of(seen)) return outcome::empty;  // relaxed: saves the rest
  if (!is_open(seen) && !revoke(seen, spent)) return outcome::lost;
  position const t = position_of(seen);
  // The top before the bottom: either we see that the owner claims our entry, or it sees the top we saw.
  // Partner: pop_guarded, full fence.
  Sync::full_fence();
  if (d.bottom_.load(std::memory_order_acquire) <= t) return outcome::empty;  // the slot below it. Partner: publish
  // Acquire: the copies. Partner: grow. Not older than the ring that entry t was pushed to, because the bottom is not.
  auto const& ring = *d.ring_.load(std::memory_order_acquire);
  auto const& slot = ring.at(t);
  // Relaxed, and before the exchange: once it succeeds, the entry that we read is ours; if it fails, the entry may be anything and
  // is dropped.
  entry const found{slot.task.load(std::memory_order_relaxed), slot.extra.load(std::memory_order_relaxed)};
  do {
    // seq_cst: one order of all moves of the top; releases our reads of the slot. Partners: take_top; poll, its top.
    if (d.top_.compare_exchange_strong(seen, seen + step, std::memory_order_seq_cst, std::memory_order_relaxed)) {
      oldest = found;
      return outcome::got;
    }
  } while (position_of(seen) == t && is_open(seen));  // only the revocation has ended meanwhile
  return outcome::lost;
}

extern template class deque<real_sync>;  // deque.cpp: programs compile push and pop only

}}}  // namespace skua::v0::runtime
