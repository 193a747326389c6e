// SPDX-License-Identifier: MIT
// Memory for tasks: small blocks that are often freed on another thread than the one that allocated them. block_cache.md
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

#include "skua/parts/base/brief_lock.hpp"
#include "skua/parts/context/current.hpp"

namespace skua { inline namespace v0 { namespace runtime {

inline constexpr std::size_t size_classes = 8;
inline constexpr std::size_t size_step = 64;  ///< bytes between two classes

/// The size class of blocks of `bytes`. From size_classes on blocks are not kept.
constexpr std::size_t size_class_of(std::size_t bytes) noexcept { return (bytes - 1) / size_step; }

/// A free block.
struct free_block {
  explicit free_block(free_block* n) noexcept : next(n) {}
  free_block* next;
  free_block* next_batch;  ///< set while a pool has it: of the first block of a batch
};

/// Whole batches of blocks that caches have no use for. Thread-safe.
class block_pool {
 public:
  block_pool() = default;
  ~block_pool();
  block_pool(block_pool const&) = delete;
  block_pool& operator=(block_pool const&) = delete;

  /// Null if there is none, or another thread is inside.
  [[nodiscard]] free_block* take(std::size_t size_class) noexcept;
  /// False if it is full, or another thread is inside.
  [[nodiscard]] bool give(free_block* batch, std::size_t size_class) noexcept;

 private:
  brief_lock<> lock_;  // only tried: a thread that fails uses the heap
  std::size_t bytes_ = 0;
  /// Written under the lock. relaxed, all: a look without it saves the lock while there is nothing.
  std::array<std::atomic<free_block*>, size_classes> batches_{};
};

/// A thread's free blocks. Without a pool, and under a sanitizer, they have no room, and every block goes to the heap.
class block_lists {
 public:
  constexpr block_lists() noexcept = default;

  /// A block of at least `bytes`, at most size_classes * size_step. Throws std::bad_alloc.
  [[nodiscard]] void* take(std::size_t bytes) {
    list& from = lists_[size_class_of(bytes)];
    free_block* const newest = from.first;
    if (newest == nullptr) [[unlikely]]
      return refill(bytes);
    ++from.room;
    from.first = newest->next;
    return newest;
  }
  /// Gives a block of take(bytes), of any thread.
  void give(void* block, std::size_t bytes) noexcept {
    list& to = lists_[size_class_of(bytes)];
    if (to.room == 0) [[unlikely]]
      return make_room_for(block, bytes);
    --to.room;
    to.first = ::new (block) free_block(to.first);
  }

 protected:
  struct list {
    free_block* first = nullptr;  ///< at most one batch, to take from and to give to
    free_block* batch = nullptr;  ///< null, or a whole batch
    std::uint32_t room = 0;       ///< how many blocks `first` may still get
  };
  block_pool* pool_ = nullptr;
  std::array<list, size_classes> lists_{};

 private:
  [[nodiscard]] void* refill(std::size_t bytes);
  void make_room_for(void* block, std::size_t bytes) noexcept;
};

/// The lists of one worker, or of a thread from outside. Only the thread that is the worker uses them.
class block_cache : public block_lists {
 public:
  explicit block_cache(block_pool& pool) noexcept;
  ~block_cache();
  block_cache(block_cache const&) = delete;
  block_cache& operator=(block_cache const&) = delete;
};

/// Those of a thread that has no cache. Never changed.
extern constinit block_lists no_blocks;

/// A block of at least `bytes`, aligned as operator new's, from the cache of the calling thread if it has one. Any
/// thread. Throws std::bad_alloc. Twelve instructions if the cache has one.
[[nodiscard]] inline void* take_block(std::size_t bytes) {
  return size_class_of(bytes) < size_classes ? current_blocks().take(bytes) : ::operator new(bytes);
}
/// Gives a block of take_block(bytes) back, on any thread.
inline void give_block(void* block, std::size_t bytes) noexcept {
  if (size_class_of(bytes) >= size_classes) return ::operator delete(block, bytes);
  current_blocks().give(block, bytes);
}

/// Base of classes whose objects lie in such blocks when `new` makes them.
struct in_block {
  static void* operator new(std::size_t bytes) { return take_block(bytes); }
  static void operator delete(void* block, std::size_t bytes) noexcept { give_block(block, bytes); }
  static void* operator new(std::size_t bytes, std::align_val_t alignment) { return ::operator new(bytes, alignment); }
  static void operator delete(void* block, std::size_t bytes, std::align_val_t alignment) noexcept {
    ::operator delete(block, bytes, alignment);
  }
};

}}}  // namespace skua::v0::runtime
