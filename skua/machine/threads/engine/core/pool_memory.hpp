// SPDX-License-Identifier: MIT
// The memory in which a pool keeps the data that `skua top` reads: its workers' counters and lanes. The kernel maps it into
// processes of the same user that ask for it, and frees it with the process, however that ends. A child of fork() gets a copy
// of its own. Rules and reasons: attach.md.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "skua/machine/threads/engine/core/shared_pool.hpp"
#include "skua/parts/base/ids.hpp"
#include "skua/parts/topology/layout.hpp"

namespace skua { inline namespace v0 { namespace runtime {

class worker_slot;

class pool_memory {
 public:
  /// For the workers of `map`; tells readers whether they count forks. If the system shares no memory or has no file number left,
  /// no process can attach, and the pool works as usual. Throws std::bad_alloc. Cost: some ten system calls.
  pool_memory(layout const& map, bool counts_forks);
  ~pool_memory();
  pool_memory(pool_memory const&) = delete;
  pool_memory& operator=(pool_memory const&) = delete;

  [[nodiscard]] bool is_shared() const noexcept { return file_ >= 0; }
  [[nodiscard]] worker_record& record_of(worker_id w) const noexcept;
  [[nodiscard]] std::atomic<std::uint32_t>& permitted() const noexcept { return head().permitted; }
  [[nodiscard]] observed_calls& calls() const noexcept { return head().calls; }

  /// True if this process or another one reads the workers' times.
  [[nodiscard]] bool times_asked() const noexcept {
    return head().times_asked.load(std::memory_order_relaxed) != 0;  // relaxed: a call that began before is not timed
  }
  void ask_for_times() const noexcept {
    // relaxed: publishes nothing
    head().times_asked.fetch_or(shared_pool::asked_inside, std::memory_order_relaxed);
  }

  /// Room for the slots of a region of all workers; null if there is none: the slots then go on the heap.
  [[nodiscard]] std::byte* take_slots() noexcept;
  /// Call it when the slots are complete and other processes may read them.
  void show(std::byte const* room, worker_slot const& first, std::uint32_t workers, std::uint64_t number,
            std::string_view policy) const noexcept;
  /// Call it before the slots are destroyed.
  void hide(std::byte const* room) const noexcept;
  void give_slots(std::byte const* room) const noexcept;
  /// Call it when the process ends, and this memory with it. Tells LeakSanitizer that memory to which only its slots point is not lost;
  /// for programs that were built with it while Skua was not.
  void stays() const noexcept;

 private:
  // Calls these around a fork(), for every pool of the process.
  friend class pool_memories;
  void before_fork() noexcept;
  void after_fork(bool is_child) noexcept;

  [[nodiscard]] shared_pool& head() const noexcept { return *reinterpret_cast<shared_pool*>(base_); }
  [[nodiscard]] std::size_t block_bytes() const noexcept;
  [[nodiscard]] region_record& region_at(std::byte const* room) const noexcept;
  [[nodiscard]] bool share(std::size_t at_first) noexcept;
  [[nodiscard]] bool has_file() const noexcept;
  void close_file() noexcept;
  [[nodiscard]] bool allocate(std::size_t at) const noexcept;

  std::size_t const slots_at_;
  std::size_t const bytes_;
  std::byte* base_ = nullptr;
  int file_ = -1;                ///< the shared memory; -1: the memory is this process's alone
  std::uint64_t inode_ = 0;      ///< of the file
  std::byte* copy_ = nullptr;    ///< for the child, while a fork() is under way
  pool_memory* next_ = nullptr;  ///< in the list of the process, under its lock
};

}}}  // namespace skua::v0::runtime
