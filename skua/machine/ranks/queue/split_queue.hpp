// SPDX-License-Identifier: MIT
// The queue of a rank's worker: private at the head, shared at the tail, and still lending its memory to ranges that are being
// sent to thieves. split_queue.md has the states and the rules. [retentive-hpdc12 6]
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "skua/machine/ranks/queue/task_slot.hpp"
#include "skua/parts/base/brief_lock.hpp"

namespace skua::inline v0::ranks {

/// Tasks are slots of equal size. The owner is one thread; `steal` and `give_back` may be called by any.
class split_queue {
  struct ring;

 public:
  /// `slot_bytes` > 0. `limit`: the most tasks it may hold, and be sending, at once; rounded up to a power of two.
  /// Throws std::bad_alloc.
  explicit split_queue(std::size_t slot_bytes, std::uint64_t limit = std::uint64_t{1} << 40);
  ~split_queue();
  split_queue(split_queue const&) = delete;
  split_queue& operator=(split_queue const&) = delete;

  [[nodiscard]] std::size_t slot_bytes() const noexcept { return slot_bytes_; }

  // --- the owner

  /// Memory for the next task, aligned to 16 bytes if slot_bytes is a multiple of 16, and to 8 if it is one of 8. `commit` adds it; without commit nothing
  /// happened. Throws resource_error at the limit and std::bad_alloc.
  [[nodiscard]] std::byte* reserve();
  /// Adds what was written to the last `reserve`, and shares half of the private tasks if nothing is shared.
  void commit() noexcept;
  /// Adds a copy of slot_bytes bytes.
  void push(void const* task);
  /// Adds `count` tasks that lie one after the other: the first of them becomes the oldest. Throws as `reserve`, having added none or some.
  void push_all(std::span<std::byte const> tasks);

  /// Shares every private task: for an owner that runs none itself, and while others of its rank have nothing to do.
  void share_all() noexcept;
  /// Shares every private task but the newest, which the owner takes next: for an owner that answers a thief itself.
  void share_all_but_one() noexcept;

  /// Takes the newest task. False: there is none. The bytes that `task` points to are the caller's.
  [[nodiscard]] bool pop(void* task) noexcept;

  /// Tasks that nobody has taken, shared ones included. Exact for the owner while nobody steals.
  [[nodiscard]] std::uint64_t size() const noexcept { return head_ - stolen_.load(std::memory_order_relaxed); }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  /// How many more it can surely hold.
  [[nodiscard]] std::uint64_t room() const noexcept { return limit_ - (head_ - completed_); }

  // --- those who take for a thief

  /// One range of the ring. It stays where it is until `give_back`.
  class range {
   public:
    [[nodiscard]] std::span<std::byte const> bytes() const noexcept { return bytes_; }
    [[nodiscard]] std::uint64_t tasks() const noexcept { return tasks_; }

   private:
    friend split_queue;
    std::span<std::byte const> bytes_;
    std::uint64_t tasks_ = 0;
    ring* from_ = nullptr;
  };

  /// Takes half of the shared tasks, rounded up, at most `room`; no tasks: nothing is shared. Every range with tasks is given back once.
  [[nodiscard]] range steal(std::uint64_t room) noexcept;
  /// The copy is complete: its memory may be used again.
  void give_back(range const& taken) noexcept;

  /// What a thief would find now; a hint.
  [[nodiscard]] std::uint64_t shared() const noexcept;
  /// The capacity of the ring, in tasks.
  [[nodiscard]] std::uint64_t capacity() const noexcept;

 private:
  [[nodiscard]] bool take_back_shared() noexcept;
  void share_if_none() noexcept;
  void share_up_to(std::uint64_t counter) noexcept;
  [[nodiscard]] bool reclaim() noexcept;
  void grow();

  std::size_t const slot_bytes_;
  std::uint64_t const limit_;

  // "order of the counters": completed <= stolen <= split <= head <= completed + capacity.
  std::uint64_t head_ = 0;
  std::uint64_t completed_ = 0;
  std::unique_ptr<ring> ring_;                ///< changed by the owner, under the lock
  std::vector<std::unique_ptr<ring>> older_;  ///< rings with ranges in flight; the owner's
  std::atomic<std::uint64_t> split_{0};

  alignas(64) runtime::brief_lock<> lock_;  ///< one thief at a time, or the owner who takes shared tasks back
  std::atomic<std::uint64_t> stolen_{0};
};

/// Empties it: its tasks will not run.
void drop_all(split_queue& queue, slot_shape const& shape) noexcept;

}  // namespace skua::inline v0::ranks
