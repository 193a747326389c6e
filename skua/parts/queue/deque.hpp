// SPDX-License-Identifier: MIT
// The work-stealing deque: one owner pushes and pops at the bottom, thieves take from the top. After Chase & Lev (2005)
// and Le, Pop, Cohen, Zappa Nardelli (2013); growable, without a fence or a locked instruction on the owner's hot path.
// States, invariants and proof: deque.md.
//
// Two ideas keep push and pop short. The limit: push compares the bottom with one word that says where the ring ends
// as far as the owner knows; others overwrite it with 0 to get the owner's attention (`victim::request_attention`). The
// decoys: where owners must fence, push and pop compare with a limit of 0 and a top of infinity instead, so that both
// always take their slow paths, which fence. The hot path tests no flag.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory_resource>
#include <new>

#include "skua/parts/base/assert.hpp"
#include "skua/parts/base/outcome.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/parts/base/sync.hpp"
#include "skua/parts/queue/ring.hpp"

namespace skua::runtime {

/// Why a push returned true.
enum class attention : std::uint8_t {
  calm,       ///< no request: the ring has grown, or the owner has learnt how far thieves have come
  requested,  ///< some thread called `request_attention` since the last time
  full,  ///< no memory to grow: pop what was pushed and run it at once; another push would overwrite the oldest entry
};

struct deque_options {
  std::size_t capacity = 64;   ///< entries of the first ring; a power of two, at least 2
  fences kind = fence_kind();  ///< a request: `full` if the kernel does not help
  std::pmr::memory_resource* memory = std::pmr::new_delete_resource();
};

/// Only the owner uses its members, except `outside`. The deque must outlive every use of its victims.
template <synchronisation Sync = real_sync>
class deque {
 public:
  class victim;

  /// Distance between entries in the units of `each_stolen`, `top` and `bottom`.
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

  /// Call it after a push that returned true. Makes room for the next push. If it reports a request for attention, all
  /// that any requester did before its request happened before this returns.
  attention poll() noexcept;

  /// Makes room for two pushes, so that one more push needs no memory; false if there is no memory for that.
  [[nodiscard]] bool reserve() noexcept {
    auto const b = bottom_.load(std::memory_order_relaxed) + step;  // relaxed: only we write it
    auto const t = top_at_->load(std::memory_order_acquire);        // acquire: as in poll
    return b - t <= static_cast<position>(mask_) || grow(t, b - step);
  }

  /// Removes the newest entry; false if there is none or a thief has taken it.
  [[nodiscard]] bool pop() noexcept {
    auto const b = bottom_.load(std::memory_order_relaxed) - step;  // relaxed: only we write it
    bottom_.store(b, std::memory_order_release);  // a thief that reads this b may steal what is below it: steal, bottom
    Sync::light_fence();                          // the claim on b before the look at top. Partner: steal, heavy fence
    auto const t = top_.load(std::memory_order_relaxed);  // relaxed: the fences order it
    if (t < b) [[likely]]
      return true;
    return pop_last(b);
  }
  [[nodiscard]] bool pop(entry& newest) noexcept {
    entry const seen = newest_slot();
    if (!pop()) return false;
    newest = seen;
    return true;
  }

  /// The entry that `pop` would remove; a thief may take it first, or may have taken it already.
  /// False if there is certainly none.
  [[nodiscard]] bool peek(entry& newest) const noexcept {
    // Relaxed: a stale top only makes a taken entry look present.
    if (top_at_->load(std::memory_order_relaxed) >= bottom_.load(std::memory_order_relaxed)) return false;
    newest = newest_slot();
    return true;
  }

  /// For the owner: calls f(task, extra) for each entry that was taken from the top since it stood at `seen`, oldest
  /// first, and sets `seen` to the top. A null task stands for an entry that is no longer known: the owner took it
  /// itself as the last one, or the ring has grown. Misses nothing if called after every `poll`, before the next push.
  template <class F>
  void each_stolen(std::int64_t& seen, F&& f) const noexcept {
    for (auto const t = top(); seen < t; seen += step) {
      auto const& slot = place(seen);
      // relaxed, both: only we write slots.
      f(slot.task.load(std::memory_order_relaxed), slot.extra.load(std::memory_order_relaxed));
    }
  }
  /// Positions of the oldest entry and of the next push. For the owner.
  [[nodiscard]] std::int64_t top() const noexcept {
    return top_at_->load(std::memory_order_relaxed);
  }  // relaxed: a hint
  [[nodiscard]] std::int64_t bottom() const noexcept {
    return bottom_.load(std::memory_order_relaxed);
  }  // relaxed: ours

  [[nodiscard]] victim outside() noexcept { return victim{*this}; }
  [[nodiscard]] fences kind() const noexcept { return kind_; }

 private:
  using ring_type = ring<Sync>;
  // Top, bottom and limit count bytes of slots ever used, so that a position needs no multiplication.
  using position = std::int64_t;
  static constexpr position attention_mark = 0;  // below every bottom that a push can leave
  static constexpr position beyond_all = std::numeric_limits<position>::max();

  slot<Sync>& place(position p) const noexcept { return ring_type::at(slots_, mask_, p); }

  bool publish(position b) noexcept {
    bottom_.store(b + step, std::memory_order_release);  // publishes the slot. Partner: steal, second load of bottom
    Sync::light_fence();                                 // the entry before the limit. Partner: requester's heavy fence
    return limit_.load(std::memory_order_relaxed) <= b + step;  // relaxed: poll acquires
  }

  [[gnu::noinline]] bool pop_last(position b) noexcept;
  bool grow(position top, position bottom) noexcept;
  void delete_rings() noexcept;

  entry newest_slot() const noexcept {
    auto const& slot = place(bottom_.load(std::memory_order_relaxed) - step);
    return {slot.task.load(std::memory_order_relaxed), slot.extra.load(std::memory_order_relaxed)};  // relaxed: ours
  }

  // The owner's line. Invariant (room): limit_ is 0 (attention is requested), or at most top + capacity; between a
  // push's poll and the next push, bottom - top < capacity.
  alignas(cache_line_bytes) typename Sync::template atomic<position> bottom_{0};
  typename Sync::template atomic<position> limit_{attention_mark};  // what push looks at: the limit, or a decoy
  std::byte* slots_ = nullptr;                                      // of the newest ring
  std::uint64_t mask_ = 0;
  typename Sync::template atomic<position>* limit_at_;  // the limit
  typename Sync::template atomic<ring_type*> ring_{nullptr};
  std::pmr::memory_resource* memory_;
  typename Sync::template atomic<position> fenced_limit_{attention_mark};  // the limit where limit_ is a decoy
  fences kind_;

  // The thieves' line. top_at_ is here because whoever follows it reads the top next.
  alignas(cache_line_bytes) typename Sync::template atomic<position> top_{0};  // what pop looks at: the top, or a decoy
  typename Sync::template atomic<position> fenced_top_{0};                     // the top where top_ is a decoy
  typename Sync::template atomic<position>* top_at_;                           // the top
};

/// A deque as seen by other threads. A pointer: copy it freely.
template <synchronisation Sync>
class deque<Sync>::victim {
 public:
  explicit victim(deque& of) noexcept : of_(&of) {}

  /// Takes the oldest entry: got, empty or lost. Costs a heavy fence, unless the deque looks empty.
  outcome steal(entry& oldest) const noexcept;

  /// No fence: operations under way may make it wrong in both directions. What it means after `request_attention` and a
  /// heavy fence: deque.md.
  [[nodiscard]] bool looks_empty() const noexcept {
    // Acquire: the top is read before the bottom, else a deque with entries may look empty.
    auto const t = of_->top_at_->load(std::memory_order_acquire);
    return of_->bottom_.load(std::memory_order_relaxed) <= t;
  }

  /// Makes the owner's next push return true, and the `poll` after it report the request.
  void request_attention() const noexcept {
    // Release: the poll that finds the mark sees what we announced before. A read-modify-write, so that a second
    // request does not hide what the first announced. Partner: poll, exchange.
    of_->limit_at_->exchange(attention_mark, std::memory_order_acq_rel);
  }

 private:
  deque* of_;
};

template <synchronisation Sync>
deque<Sync>::deque(deque_options options)
    : limit_at_(&limit_), memory_(options.memory), kind_(Sync::kind() == fences::full ? fences::full : options.kind),
      top_at_(&top_) {
  expects(options.capacity >= 2 && std::has_single_bit(options.capacity), "a deque's capacity is a power of two >= 2");
  if (kind_ == fences::full) {
    limit_at_ = &fenced_limit_;
    top_at_ = &fenced_top_;
    top_.store(beyond_all, std::memory_order_relaxed);  // relaxed, here and below: no other thread knows us yet
  }
  auto* const first = ring_type::make(*memory_, options.capacity, nullptr);
  slots_ = first->slots();
  mask_ = first->mask();
  ring_.store(first, std::memory_order_relaxed);
  limit_at_->store(first->bytes(), std::memory_order_relaxed);
}

template <synchronisation Sync>
attention deque<Sync>::poll() noexcept {
  if (kind_ == fences::full) Sync::full_fence();  // the entry before the limit. Partner: a requester's fence
  auto const b = bottom_.load(std::memory_order_relaxed);
  if (b < limit_at_->load(std::memory_order_relaxed)) return attention::calm;  // only the decoy was reached
  // Acquire: a thief has read its slot before it moved the top past it, and we are about to write that slot again.
  // Partner: steal, compare-exchange.
  auto const t = top_at_->load(std::memory_order_acquire);
  if (b - t > static_cast<position>(mask_) && !grow(t, b)) return attention::full;
  auto const room = t + static_cast<position>(mask_) + 1;
  invariant(b < room, "room");
  // A read-modify-write, so that no request is overwritten unseen. Acquire: what requesters announced before.
  // Partner: request_attention.
  return limit_at_->exchange(room, std::memory_order_acq_rel) == attention_mark ? attention::requested
                                                                                : attention::calm;
}

template <synchronisation Sync>
bool deque<Sync>::pop_last(position b) noexcept {
  if (kind_ == fences::full) Sync::full_fence();      // in place of the light fence. Partner: steal, its fence
  auto t = top_at_->load(std::memory_order_relaxed);  // relaxed: ordered by the fence; a stale top fails below
  if (t < b) return true;
  // The last entry goes to whoever moves the top first. seq_cst: one order of all who move it. Partner: steal.
  bool const won =
      t == b && top_at_->compare_exchange_strong(t, t + step, std::memory_order_seq_cst, std::memory_order_relaxed);
  bottom_.store(b + step, std::memory_order_release);  // empty again. Release: may be seen before the exchange is
  if (won)
    place(b).task.store(nullptr, std::memory_order_relaxed);  // for each_stolen. Relaxed: no thief gets it any more
  return won;
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
  for (auto* r = ring_.load(std::memory_order_relaxed); r != nullptr;) {  // relaxed: nobody uses us any more
    auto* const older = r->older();
    ring_type::destroy(*memory_, r);
    r = older;
  }
}

template <synchronisation Sync>
outcome deque<Sync>::victim::steal(entry& oldest) const noexcept {
  auto& d = *of_;
  auto t = d.top_at_->load(std::memory_order_acquire);  // before either bottom. Partner: whoever moved it
  if (d.bottom_.load(std::memory_order_relaxed) <= t) return outcome::empty;  // relaxed: only saves the fence
  // The top before the bottom: either we see that the owner claims our entry, or it sees the top we saw.
  // Partner: pop, light fence (or pop_last, full fence).
  if (d.kind_ == fences::full) {
    Sync::full_fence();
  } else {
    Sync::heavy_fence();
  }
  if (d.bottom_.load(std::memory_order_acquire) <= t) return outcome::empty;  // the slot below it. Partner: publish
  // Acquire: the copies. Partner: grow. Not older than the ring that entry t was pushed to, because the bottom is not.
  auto const& ring = *d.ring_.load(std::memory_order_acquire);
  auto const& slot = ring.at(t);
  // Relaxed, and before the exchange: once it succeeds, nothing of what we read is used by anybody else; if it fails,
  // what we read may be anything and is dropped.
  entry const seen{slot.task.load(std::memory_order_relaxed), slot.extra.load(std::memory_order_relaxed)};
  // seq_cst: one order of all who move the top; releases our reads of the slot. Partners: pop_last; poll, its top.
  if (!d.top_at_->compare_exchange_strong(t, t + step, std::memory_order_seq_cst, std::memory_order_relaxed)) {
    return outcome::lost;
  }
  oldest = seen;
  return outcome::got;
}

extern template class deque<real_sync>;  // deque.cpp: programs compile push and pop only

}  // namespace skua::runtime
