// SPDX-License-Identifier: MIT
// Memory for tasks: small blocks that are often freed on another thread than the one that allocated them. block_cache.md
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>

#include "skua/parts/base/brief_lock.hpp"

namespace skua { inline namespace v0 { namespace runtime {

inline constexpr std::size_t size_classes = 8;  ///< multiples of 64 bytes

/// A free block.
struct free_block {
  free_block* next;
  free_block* next_batch;  ///< of the first block of a batch in a pool
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
  std::array<free_block*, size_classes> batches_{};
};

/// One worker's free blocks. Only the thread that is the worker uses it.
class block_cache {
 public:
  explicit block_cache(block_pool& pool) noexcept : pool_(pool) {}
  ~block_cache();
  block_cache(block_cache const&) = delete;
  block_cache& operator=(block_cache const&) = delete;

  /// A block of a size class, 0 to size_classes - 1. Throws std::bad_alloc.
  [[nodiscard]] void* take(std::size_t size_class);
  void give(void* block, std::size_t size_class) noexcept;

 private:
  struct list {
    free_block* first = nullptr;  ///< at most one batch, to take from and to give to
    free_block* batch = nullptr;  ///< null, or a whole batch
    std::uint32_t count = 0;      ///< of `first`
  };
  [[nodiscard]] void* refill(std::size_t size_class);
  void pass_on(std::size_t size_class) noexcept;

  block_pool& pool_;
  std::array<list, size_classes> lists_{};
};

/// A block of at least `bytes`, aligned as operator new's, from the cache of the calling thread if it has one. Any
/// thread. Throws std::bad_alloc. Cost: 3 ns if the cache has one.
[[nodiscard]] void* take_block(std::size_t bytes);
/// Gives a block of take_block(bytes) back, on any thread.
void give_block(void* block, std::size_t bytes) noexcept;

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
