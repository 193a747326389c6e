// SPDX-License-Identifier: MIT
#include "skua/parts/context/block_cache.hpp"

#include <type_traits>
#include <utility>

#include "skua/parts/base/sanitizers.hpp"

namespace skua { inline namespace v0 { namespace runtime {

namespace {

constexpr std::uint32_t batch_blocks = 64;
constexpr std::size_t pool_bytes_max = std::size_t{16} << 20;

constexpr std::size_t block_bytes(std::size_t size_class) noexcept { return (size_class + 1) * size_step; }
static_assert(sizeof(free_block) <= size_step);

/// A sanitizer tracks the heap, also the exact sizes.
bool keeps_none() noexcept { return asan::watches() || tsan::watches(); }

void delete_blocks(free_block* first, std::size_t size_class) noexcept {
  while (first != nullptr) ::operator delete(std::exchange(first, first->next), block_bytes(size_class));
}

}  // namespace

constinit block_lists no_blocks;
static_assert(std::is_trivially_destructible_v<block_lists>, "threads that outlive static objects use no_blocks");

block_pool::~block_pool() {
  for (std::size_t size_class = 0; size_class < size_classes; ++size_class) {
    free_block* batch = batches_[size_class].load(std::memory_order_relaxed);
    while (batch != nullptr) delete_blocks(std::exchange(batch, batch->next_batch), size_class);
  }
}

free_block* block_pool::take(std::size_t size_class) noexcept {
  std::atomic<free_block*>& first = batches_[size_class];
  if (first.load(std::memory_order_relaxed) == nullptr || !lock_.try_lock()) return nullptr;
  free_block* const batch = first.load(std::memory_order_relaxed);
  if (batch != nullptr) {
    first.store(batch->next_batch, std::memory_order_relaxed);
    bytes_ -= batch_blocks * block_bytes(size_class);
  }
  lock_.unlock();
  return batch;
}

bool block_pool::give(free_block* batch, std::size_t size_class) noexcept {
  if (!lock_.try_lock()) return false;
  bool const fits = bytes_ + batch_blocks * block_bytes(size_class) <= pool_bytes_max;
  if (fits) {
    batch->next_batch = batches_[size_class].load(std::memory_order_relaxed);
    batches_[size_class].store(batch, std::memory_order_relaxed);
    bytes_ += batch_blocks * block_bytes(size_class);
  }
  lock_.unlock();
  return fits;
}

block_cache::block_cache(block_pool& pool) noexcept {
  if (keeps_none()) return;
  pool_ = &pool;
  for (list& l : lists_) l.room = batch_blocks;
}

block_cache::~block_cache() {
  for (std::size_t size_class = 0; size_class < size_classes; ++size_class) {
    delete_blocks(lists_[size_class].first, size_class);
    delete_blocks(lists_[size_class].batch, size_class);
  }
}

/// Called when the list is empty.
[[gnu::noinline]] void* block_lists::refill(std::size_t bytes) {
  if (keeps_none()) return ::operator new(bytes);
  std::size_t const size_class = size_class_of(bytes);
  list& into = lists_[size_class];
  free_block* batch = std::exchange(into.batch, nullptr);
  if (batch == nullptr && pool_ != nullptr) batch = pool_->take(size_class);
  if (batch == nullptr) return ::operator new(block_bytes(size_class));
  into.first = batch->next;
  into.room = 1;
  return batch;
}

/// Called when the list is full: it becomes the cache's batch, and the block the first of a new list.
[[gnu::noinline]] void block_lists::make_room_for(void* block, std::size_t bytes) noexcept {
  if (keeps_none()) return ::operator delete(block, bytes);
  std::size_t const size_class = size_class_of(bytes);
  if (pool_ == nullptr) return ::operator delete(block, block_bytes(size_class));
  list& full = lists_[size_class];
  free_block* const before = std::exchange(full.batch, full.first);
  if (before != nullptr && !pool_->give(before, size_class)) delete_blocks(before, size_class);
  full.first = ::new (block) free_block(nullptr);
  full.room = batch_blocks - 1;
}

}}}  // namespace skua::v0::runtime
