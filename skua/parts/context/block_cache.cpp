// SPDX-License-Identifier: MIT
#include "skua/parts/context/block_cache.hpp"

#include <utility>

#include "skua/parts/base/sanitizers.hpp"
#include "skua/parts/context/current.hpp"

namespace skua { inline namespace v0 { namespace runtime {

namespace {

constexpr std::size_t size_step = 64;
constexpr std::uint32_t batch_blocks = 64;
constexpr std::size_t pool_bytes_max = std::size_t{16} << 20;

constexpr std::size_t block_bytes(std::size_t size_class) noexcept { return (size_class + 1) * size_step; }
static_assert(sizeof(free_block) <= size_step);

/// The size class of blocks of `bytes`. From size_classes on blocks are not cached; nor are any under a sanitizer, which tracks the heap.
std::size_t size_class_of(std::size_t bytes) noexcept {
  return asan::watches() || tsan::watches() ? size_classes : (bytes - 1) / size_step;
}

void delete_blocks(free_block* first, std::size_t size_class) noexcept {
  while (first != nullptr) ::operator delete(std::exchange(first, first->next), block_bytes(size_class));
}

}  // namespace

block_pool::~block_pool() {
  for (std::size_t size_class = 0; size_class < size_classes; ++size_class) {
    free_block* batch = batches_[size_class];
    while (batch != nullptr) delete_blocks(std::exchange(batch, batch->next_batch), size_class);
  }
}

free_block* block_pool::take(std::size_t size_class) noexcept {
  if (!lock_.try_lock()) return nullptr;
  free_block* const batch = batches_[size_class];
  if (batch != nullptr) {
    batches_[size_class] = batch->next_batch;
    bytes_ -= batch_blocks * block_bytes(size_class);
  }
  lock_.unlock();
  return batch;
}

bool block_pool::give(free_block* batch, std::size_t size_class) noexcept {
  if (!lock_.try_lock()) return false;
  bool const fits = bytes_ + batch_blocks * block_bytes(size_class) <= pool_bytes_max;
  if (fits) {
    batch->next_batch = std::exchange(batches_[size_class], batch);
    bytes_ += batch_blocks * block_bytes(size_class);
  }
  lock_.unlock();
  return fits;
}

block_cache::~block_cache() {
  for (std::size_t size_class = 0; size_class < size_classes; ++size_class) {
    delete_blocks(lists_[size_class].first, size_class);
    delete_blocks(lists_[size_class].batch, size_class);
  }
}

void* block_cache::take(std::size_t size_class) {
  list& from = lists_[size_class];
  if (from.first == nullptr) [[unlikely]]
    return refill(size_class);
  --from.count;
  return std::exchange(from.first, from.first->next);
}

[[gnu::noinline]] void* block_cache::refill(std::size_t size_class) {
  list& into = lists_[size_class];
  free_block* const batch = into.batch != nullptr ? std::exchange(into.batch, nullptr) : pool_.take(size_class);
  if (batch == nullptr) return ::operator new(block_bytes(size_class));
  into.first = batch->next;
  into.count = batch_blocks - 1;
  return batch;
}

void block_cache::give(void* block, std::size_t size_class) noexcept {
  list& to = lists_[size_class];
  if (to.count == batch_blocks) [[unlikely]]
    pass_on(size_class);
  ++to.count;
  to.first = ::new (block) free_block{to.first, nullptr};
}

/// Called when the list is full: it becomes the cache's batch.
[[gnu::noinline]] void block_cache::pass_on(std::size_t size_class) noexcept {
  list& full = lists_[size_class];
  free_block* const before = std::exchange(full.batch, std::exchange(full.first, nullptr));
  full.count = 0;
  if (before != nullptr && !pool_.give(before, size_class)) delete_blocks(before, size_class);
}

void* take_block(std::size_t bytes) {
  std::size_t const size_class = size_class_of(bytes);
  if (size_class >= size_classes) return ::operator new(bytes);
  thread_record const* const me = current_thread();
  return me != nullptr && me->blocks != nullptr ? me->blocks->take(size_class)
                                                : ::operator new(block_bytes(size_class));
}

void give_block(void* block, std::size_t bytes) noexcept {
  std::size_t const size_class = size_class_of(bytes);
  if (size_class >= size_classes) return ::operator delete(block, bytes);
  thread_record const* const me = current_thread();
  if (me == nullptr || me->blocks == nullptr) return ::operator delete(block, block_bytes(size_class));
  me->blocks->give(block, size_class);
}

}}}  // namespace skua::v0::runtime
