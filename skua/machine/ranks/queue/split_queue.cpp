// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/queue/split_queue.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>
#include <string>

#include "skua/parts/base/assert.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::inline v0::ranks {

namespace {

constexpr std::uint64_t first_capacity = 16;

}  // namespace

/// The memory, and what has been given back of it.
struct split_queue::ring {
  ring(std::size_t slot_bytes, std::uint64_t slots)
      : memory(std::make_unique_for_overwrite<std::byte[]>(slot_bytes * slots)), capacity(slots) {}

  [[nodiscard]] std::byte* at(std::uint64_t counter, std::size_t slot_bytes) const noexcept {
    return memory.get() + (counter & (capacity - 1)) * slot_bytes;
  }

  std::unique_ptr<std::byte[]> memory;
  std::uint64_t capacity;
  std::uint64_t taken = 0;                 ///< sum of the ranges that left this ring; written under the lock
  std::atomic<std::uint64_t> returned{0};  ///< sum of those whose copy is complete
};

split_queue::split_queue(std::size_t slot_bytes, std::uint64_t limit)
    : slot_bytes_(slot_bytes), limit_(std::bit_ceil(std::max<std::uint64_t>(limit, 1))),
      ring_(std::make_unique<ring>(slot_bytes, std::min(first_capacity, limit_))) {
  runtime::expects(slot_bytes > 0, "a slot has at least one byte");
}

split_queue::~split_queue() = default;

std::uint64_t split_queue::capacity() const noexcept { return ring_->capacity; }

std::byte* split_queue::reserve() {
  if (head_ - completed_ == ring_->capacity && !reclaim()) grow();
  return ring_->at(head_, slot_bytes_);
}

void split_queue::commit() noexcept {
  ++head_;
  share_if_none();
}

void split_queue::push(void const* task) {
  std::memcpy(reserve(), task, slot_bytes_);
  commit();
}

void split_queue::push_all(std::span<std::byte const> tasks) {
  for (std::size_t at = 0; at < tasks.size(); at += slot_bytes_) push(tasks.data() + at);
}

bool split_queue::pop(void* task) noexcept {
  if (head_ == split_.load(std::memory_order_relaxed) && !take_back_shared()) return false;
  --head_;
  std::memcpy(task, ring_->at(head_, slot_bytes_), slot_bytes_);
  share_if_none();
  return true;
}

void split_queue::share_if_none() noexcept {
  std::uint64_t const split = split_.load(std::memory_order_relaxed);
  if (stolen_.load(std::memory_order_relaxed) != split) return;
  std::uint64_t const half = (head_ - split) / 2;
  // release: the tasks below the new split. Pairs with the load in `steal`.
  if (half > 0) split_.store(split + half, std::memory_order_release);
}

void split_queue::share_all() noexcept { share_up_to(head_); }

void split_queue::share_all_but_one() noexcept { share_up_to(std::max<std::uint64_t>(head_, 1) - 1); }

void split_queue::share_up_to(std::uint64_t counter) noexcept {
  // release: as in share_if_none.
  if (split_.load(std::memory_order_relaxed) < counter) split_.store(counter, std::memory_order_release);
}

bool split_queue::take_back_shared() noexcept {
  if (stolen_.load(std::memory_order_relaxed) == split_.load(std::memory_order_relaxed)) return false;
  std::scoped_lock const held(lock_);
  std::uint64_t const split = split_.load(std::memory_order_relaxed);
  std::uint64_t const shared = split - stolen_.load(std::memory_order_relaxed);
  if (shared == 0) return false;
  // At least one: half of a single task is none, and the caller would pop what is not there.
  split_.store(split - std::max<std::uint64_t>(shared / 2, 1), std::memory_order_relaxed);
  return true;
}

split_queue::range split_queue::steal(std::uint64_t room) noexcept {
  range taken;
  if (shared() == 0) return taken;  // a hint: it may have been shared this moment
  std::scoped_lock const held(lock_);
  std::uint64_t const from = stolen_.load(std::memory_order_relaxed);
  // acquire: the tasks below the split. Pairs with the store in share_if_none.
  std::uint64_t const shared = split_.load(std::memory_order_acquire) - from;
  std::uint64_t const to_the_end = ring_->capacity - (from & (ring_->capacity - 1));
  std::uint64_t const tasks = std::min({(shared + 1) / 2, room, to_the_end});
  if (tasks == 0) return taken;
  taken.bytes_ = {ring_->at(from, slot_bytes_), tasks * slot_bytes_};
  taken.tasks_ = tasks;
  taken.from_ = ring_.get();
  ring_->taken += tasks;
  stolen_.store(from + tasks, std::memory_order_relaxed);
  return taken;
}

void split_queue::give_back(range const& taken) noexcept {
  // release: the copy has been made before the owner overwrites it. Pairs with the loads in `reclaim` and `grow`.
  if (taken.from_ != nullptr) taken.from_->returned.fetch_add(taken.tasks_, std::memory_order_release);
}

std::uint64_t split_queue::shared() const noexcept {
  std::uint64_t const stolen = stolen_.load(std::memory_order_relaxed);
  std::uint64_t const split = split_.load(std::memory_order_relaxed);
  return split > stolen ? split - stolen : 0;
}

/// Moves `completed` up to `stolen` if nothing is in flight. False: no slot became free.
bool split_queue::reclaim() noexcept {
  // acquire: copies are complete before their slots are used again. Pairs with give_back. Read before what was taken: a sum that
  // is still right when everything has been looked at was right all the time.
  std::uint64_t const returned = ring_->returned.load(std::memory_order_acquire);
  std::uint64_t stolen = 0;
  {
    std::scoped_lock const held(lock_);
    if (ring_->taken != returned) return false;
    stolen = stolen_.load(std::memory_order_relaxed);
  }
  bool const freed = stolen != completed_;
  completed_ = stolen;
  return freed;
}

void split_queue::grow() {
  if (ring_->capacity >= limit_) {
    throw resource_error("task collection: full, with its limit of " + std::to_string(limit_) +
                         " tasks on one rank; allow more, or spawn fewer");
  }
  // acquire: as in reclaim; a ring whose copies are complete is freed.
  std::erase_if(older_, [](auto const& old) { return old->returned.load(std::memory_order_acquire) == old->taken; });
  older_.reserve(older_.size() + 1);
  auto larger = std::make_unique<ring>(slot_bytes_, ring_->capacity * 2);
  std::scoped_lock const held(lock_);
  std::uint64_t const stolen = stolen_.load(std::memory_order_relaxed);
  for (std::uint64_t c = stolen; c != head_; ++c) {
    std::memcpy(larger->at(c, slot_bytes_), ring_->at(c, slot_bytes_), slot_bytes_);
  }
  completed_ = stolen;
  older_.push_back(std::move(ring_));
  ring_ = std::move(larger);
}

void drop_all(split_queue& queue, slot_shape const& shape) noexcept {
  if (!shape.has_block) return;
  for (std::vector<std::byte> slot(shape.bytes()); queue.pop(slot.data());) shape.drop(slot.data());
}

}  // namespace skua::inline v0::ranks
