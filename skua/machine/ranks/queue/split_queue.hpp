// SPDX-License-Identifier: MIT
// The queue of a rank's worker: private at the head, shared at the tail; ranges that are being sent to thieves still
// occupy its memory. split_queue.md has the states and the rules, split_queue_model.cpp every schedule.
// [retentive-hpdc12 6]
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "skua/machine/ranks/queue/byte_slots.hpp"
#include "skua/machine/ranks/queue/task_slot.hpp"
#include "skua/parts/base/assert.hpp"
#include "skua/parts/base/brief_lock.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/sync.hpp"

namespace skua { inline namespace v0 { namespace ranks {

/// Tasks are slots of equal size. One thread is the owner; any thread may call `steal` and `give_back`.
template <runtime::synchronisation Sync = runtime::real_sync, class Slots = byte_slots>
class basic_split_queue {
  struct ring;

 public:
  /// `slot_bytes` > 0. `limit`: the most tasks it may hold, and be sending, at once; rounded up to a power of two.
  /// Throws std::bad_alloc.
  explicit basic_split_queue(std::size_t slot_bytes, std::uint64_t limit = std::uint64_t{1} << 40);
  ~basic_split_queue() = default;
  basic_split_queue(basic_split_queue const&) = delete;
  basic_split_queue& operator=(basic_split_queue const&) = delete;

  [[nodiscard]] std::size_t slot_bytes() const noexcept { return slot_bytes_; }

  // --- the owner

  /// Memory for the next task, aligned to 16 bytes if slot_bytes is a multiple of 16, and to 8 if it is one of 8.
  /// `commit` adds the task; without commit nothing changes. Throws resource_error at the limit and std::bad_alloc.
  [[nodiscard]] typename Slots::slot* reserve();
  /// Adds what was written to the last `reserve`, and shares half of the private tasks if nothing is shared.
  void commit() noexcept;
  /// Adds a copy of slot_bytes bytes.
  void push(void const* task);
  /// Adds `count` consecutive tasks: the first of them becomes the oldest. Throws as `reserve` does, after adding none
  /// or some.
  void push_all(std::span<std::byte const> tasks);

  /// From now on so many tasks fit, whatever the limit was.
  void admit(std::uint64_t tasks) noexcept { limit_ = std::max(limit_, std::bit_ceil(tasks)); }

  /// Shares every private task: for an owner that runs none itself, and while other workers of its rank are idle.
  void share_all() noexcept;
  /// Shares every private task but the newest, which the owner takes next: for an owner that answers a thief itself.
  void share_all_but_one() noexcept;

  /// Takes the newest task; returns false if there is none. The caller owns the bytes at `task`.
  [[nodiscard]] bool pop(void* task) noexcept;

  /// Tasks that were not taken, shared ones included. Exact for the owner while no thief steals.
  [[nodiscard]] std::uint64_t size() const noexcept { return head_ - stolen_.load(std::memory_order_relaxed); }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  /// A lower bound for the number of tasks that still fit.
  [[nodiscard]] std::uint64_t room() const noexcept { return limit_ - (head_ - completed_); }
  /// The capacity of the ring, in tasks.
  [[nodiscard]] std::uint64_t capacity() const noexcept { return ring_.get()->capacity; }

  // --- threads that take for a thief

  /// One range of the ring. It stays where it is until `give_back`.
  class range {
   public:
    [[nodiscard]] typename Slots::run bytes() const noexcept { return bytes_; }
    [[nodiscard]] std::uint64_t tasks() const noexcept { return tasks_; }

   private:
    friend basic_split_queue;
    typename Slots::run bytes_;
    std::uint64_t tasks_ = 0;
    ring* ring_ = nullptr;
  };

  /// Takes half of the shared tasks, rounded up, at most `room`; returns no tasks if none is shared. A range with tasks
  /// must be given back once.
  [[nodiscard]] range steal(std::uint64_t room) noexcept {
    return steal(room, [](typename Slots::slot const*) noexcept { return false; });
  }
  /// The same, but only the oldest task if goes_alone(its slot): it stands for many.
  template <class F>
  [[nodiscard]] range steal(std::uint64_t room, F goes_alone) noexcept;
  /// The copy is complete: its memory may be used again.
  void give_back(range const& taken) noexcept;

  /// The number of tasks that a thief would find now; a hint.
  [[nodiscard]] std::uint64_t shared() const noexcept;

 private:
  [[nodiscard]] bool take_back_shared() noexcept;
  void share_if_none() noexcept;
  void share_up_to(std::uint64_t counter) noexcept;
  // Not inlined: their announcements to ThreadSanitizer would cost each push and pop registers.
  [[gnu::noinline]] void raise_split(std::uint64_t to) noexcept;
  [[nodiscard, gnu::noinline]] bool reclaim() noexcept;
  void grow();

  std::size_t const slot_bytes_;
  std::uint64_t limit_;  ///< the owner's

  // "order of the counters": completed <= stolen <= split <= head <= completed + capacity.
  std::uint64_t head_ = 0;
  std::uint64_t completed_ = 0;
  typename Sync::template plain<ring*> ring_;  ///< the last one of rings_; changed by the owner, under the lock
  std::vector<std::unique_ptr<ring>> rings_;   ///< the owner's; all but the last may have ranges in flight
  typename Sync::template atomic<std::uint64_t> split_{0};

  alignas(64)
      runtime::brief_lock<Sync> lock_;  ///< held by one thief at a time, or by the owner that takes shared tasks back
  typename Sync::template atomic<std::uint64_t> stolen_{0};
};

/// The memory, and what has been given back of it.
template <runtime::synchronisation Sync, class Slots>
struct basic_split_queue<Sync, Slots>::ring {
  ring(std::size_t slot_bytes, std::uint64_t slots) : memory(slot_bytes, slots), capacity(slots) {}

  [[nodiscard]] typename Slots::slot* at(std::uint64_t counter, std::size_t slot_bytes) const noexcept {
    return memory.at(counter & (capacity - 1), slot_bytes);
  }
  /// True if every range up to the counter `stolen` has been given back; `sum` is the value of `returned`.
  [[nodiscard]] bool is_back(std::uint64_t sum, std::uint64_t stolen) const noexcept { return stolen - begins == sum; }

  Slots memory;
  std::uint64_t const capacity;
  std::uint64_t begins = 0;  ///< `stolen` when thieves began to take from it; the owner's
  std::uint64_t ends = 0;    ///< the same when they ceased; the owner's
  typename Sync::template atomic<std::uint64_t> returned{0};  ///< sum of the ranges whose copy is complete
};

template <runtime::synchronisation Sync, class Slots>
basic_split_queue<Sync, Slots>::basic_split_queue(std::size_t slot_bytes, std::uint64_t limit)
    : slot_bytes_(slot_bytes), limit_(std::bit_ceil(std::max<std::uint64_t>(limit, 1))) {
  runtime::expects(slot_bytes > 0, "a slot has at least one byte");
  rings_.push_back(std::make_unique<ring>(slot_bytes, std::min(Slots::first_capacity, limit_)));
  ring_.set(rings_.back().get());
}

template <runtime::synchronisation Sync, class Slots>
typename Slots::slot* basic_split_queue<Sync, Slots>::reserve() {
  if (head_ - completed_ == ring_.get()->capacity && !reclaim()) grow();
  return ring_.get()->at(head_, slot_bytes_);
}

template <runtime::synchronisation Sync, class Slots>
void basic_split_queue<Sync, Slots>::commit() noexcept {
  ++head_;
  share_if_none();
}

template <runtime::synchronisation Sync, class Slots>
void basic_split_queue<Sync, Slots>::push(void const* task) {
  Slots::put(reserve(), task, slot_bytes_);
  commit();
}

template <runtime::synchronisation Sync, class Slots>
void basic_split_queue<Sync, Slots>::push_all(std::span<std::byte const> tasks) {
  for (std::size_t at = 0; at < tasks.size(); at += slot_bytes_) push(tasks.data() + at);
}

template <runtime::synchronisation Sync, class Slots>
bool basic_split_queue<Sync, Slots>::pop(void* task) noexcept {
  // relaxed: the owner's own.
  if (head_ == split_.load(std::memory_order_relaxed) && !take_back_shared()) return false;
  --head_;
  Slots::get(task, ring_.get()->at(head_, slot_bytes_), slot_bytes_);
  share_if_none();
  return true;
}

template <runtime::synchronisation Sync, class Slots>
void basic_split_queue<Sync, Slots>::share_if_none() noexcept {
  // relaxed, both: the owner's own, and a hint: an owner that sees an older `stolen` shares later.
  std::uint64_t const split = split_.load(std::memory_order_relaxed);
  if (stolen_.load(std::memory_order_relaxed) != split) return;
  std::uint64_t const half = (head_ - split) / 2;
  if (half > 0) raise_split(split + half);
}

template <runtime::synchronisation Sync, class Slots>
void basic_split_queue<Sync, Slots>::raise_split(std::uint64_t to) noexcept {
  // release: the tasks below the new split. Pairs with: steal, load of split_.
  split_.store(to, std::memory_order_release);
}

template <runtime::synchronisation Sync, class Slots>
void basic_split_queue<Sync, Slots>::share_all() noexcept {
  share_up_to(head_);
}

template <runtime::synchronisation Sync, class Slots>
void basic_split_queue<Sync, Slots>::share_all_but_one() noexcept {
  share_up_to(std::max<std::uint64_t>(head_, 1) - 1);
}

template <runtime::synchronisation Sync, class Slots>
void basic_split_queue<Sync, Slots>::share_up_to(std::uint64_t counter) noexcept {
  if (split_.load(std::memory_order_relaxed) < counter) raise_split(counter);  // relaxed: the owner's own
}

template <runtime::synchronisation Sync, class Slots>
bool basic_split_queue<Sync, Slots>::take_back_shared() noexcept {
  // relaxed, all: the owner's own, a hint that saves the lock, and what the lock orders.
  if (stolen_.load(std::memory_order_relaxed) == split_.load(std::memory_order_relaxed)) return false;
  std::scoped_lock const held(lock_);
  std::uint64_t const split = split_.load(std::memory_order_relaxed);
  std::uint64_t const shared = split - stolen_.load(std::memory_order_relaxed);
  if (shared == 0) return false;
  // At least one: half of a single task is none, and the caller would pop an empty queue.
  split_.store(split - std::max<std::uint64_t>(shared / 2, 1), std::memory_order_relaxed);
  return true;
}

template <runtime::synchronisation Sync, class Slots>
template <class F>
typename basic_split_queue<Sync, Slots>::range basic_split_queue<Sync, Slots>::steal(std::uint64_t room,
                                                                                     F goes_alone) noexcept {
  range taken;
  if (shared() == 0) return taken;  // a hint: a task may have been shared just now
  std::scoped_lock const held(lock_);
  std::uint64_t const from = stolen_.load(std::memory_order_relaxed);  // relaxed: the lock orders it
  // acquire: the tasks below the split. Pairs with: raise_split, store.
  std::uint64_t const shared = split_.load(std::memory_order_acquire) - from;
  ring& current = *ring_.get();
  std::uint64_t const first = from & (current.capacity - 1);
  std::uint64_t tasks = std::min({(shared + 1) / 2, room, current.capacity - first});
  if (tasks == 0) return taken;
  if (tasks > 1 && goes_alone(current.at(from, slot_bytes_))) tasks = 1;
  taken.bytes_ = current.memory.run_at(first, tasks, slot_bytes_);
  taken.tasks_ = tasks;
  taken.ring_ = &current;
  // relaxed: the lock orders it for thieves and `grow`, and give_back for `reclaim`.
  stolen_.store(from + tasks, std::memory_order_relaxed);
  return taken;
}

template <runtime::synchronisation Sync, class Slots>
void basic_split_queue<Sync, Slots>::give_back(range const& taken) noexcept {
  // release: the copy has been made before the owner overwrites or frees it. Pairs with: reclaim and grow, loads of returned.
  if (taken.ring_ != nullptr) taken.ring_->returned.fetch_add(taken.tasks_, std::memory_order_release);
}

template <runtime::synchronisation Sync, class Slots>
std::uint64_t basic_split_queue<Sync, Slots>::shared() const noexcept {
  // relaxed, both: a hint.
  std::uint64_t const stolen = stolen_.load(std::memory_order_relaxed);
  std::uint64_t const split = split_.load(std::memory_order_relaxed);
  return split > stolen ? split - stolen : 0;
}

/// Moves `completed` up to `stolen` if no range is in flight. Returns false if no slot became free. (split_queue.md,
/// "reclaim")
template <runtime::synchronisation Sync, class Slots>
bool basic_split_queue<Sync, Slots>::reclaim() noexcept {
  // acquire: copies are complete before their slots are used again, and the thief of a counted copy has moved `stolen`.
  // Pairs with: give_back.
  std::uint64_t const returned = ring_.get()->returned.load(std::memory_order_acquire);
  std::uint64_t const stolen = stolen_.load(std::memory_order_relaxed);  // relaxed: the acquire orders it
  if (!ring_.get()->is_back(returned, stolen)) return false;
  bool const freed = stolen != completed_;
  completed_ = stolen;
  return freed;
}

template <runtime::synchronisation Sync, class Slots>
void basic_split_queue<Sync, Slots>::grow() {
  ring& full = *ring_.get();
  if (full.capacity >= limit_) {
    throw resource_error("task collection: full, with its limit of " + std::to_string(limit_) +
                         " tasks on one rank; allow more, or spawn fewer");
  }
  std::erase_if(rings_, [&full](auto const& old) {
    // acquire: as in reclaim; a ring whose copies are complete is freed.
    return old.get() != &full && old->is_back(old->returned.load(std::memory_order_acquire), old->ends);
  });
  rings_.reserve(rings_.size() + 1);
  auto larger = std::make_unique<ring>(slot_bytes_, full.capacity * 2);
  std::scoped_lock const held(lock_);
  std::uint64_t const stolen = stolen_.load(std::memory_order_relaxed);  // relaxed: the lock orders it
  for (std::uint64_t c = stolen; c != head_; ++c) {
    Slots::copy(larger->at(c, slot_bytes_), full.at(c, slot_bytes_), slot_bytes_);
  }
  completed_ = full.ends = larger->begins = stolen;
  ring_.set(larger.get());
  rings_.push_back(std::move(larger));
}

extern template class basic_split_queue<runtime::real_sync, byte_slots>;  // split_queue.cpp

using split_queue = basic_split_queue<>;

/// Empties the queue: its tasks will not run.
void drop_all(split_queue& queue, slot_shape const& shape) noexcept;

}}}  // namespace skua::v0::ranks
