// SPDX-License-Identifier: MIT
// The memory of a deque: a power of two of two-word slots behind a header, in one block. Rings are never reused while
// their deque lives, because a slow thief may still read an old one; all old rings together are smaller than the
// newest.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <new>

#include "skua/parts/base/sync.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// What queues carry. Queues never dereference `task`.
struct entry {
  void* task = nullptr;
  std::uint64_t extra = 0;
  friend constexpr bool operator==(entry const&, entry const&) = default;
};

/// An entry in a ring. Two atomics, because a thief that will lose its race reads while the owner writes.
template <synchronisation Sync>
struct slot {
  typename Sync::template atomic<void*> task{nullptr};
  typename Sync::template atomic<std::uint64_t> extra{0};
};

template <synchronisation Sync>
class ring {
 public:
  /// Room for `capacity` entries (a power of two). Throws std::bad_alloc.
  static ring* make(std::pmr::memory_resource& memory, std::size_t capacity, ring* older) {
    void* const block = memory.allocate(block_bytes(capacity), alignment);
    auto* const made = new (block) ring(capacity, older);
    for (std::size_t i = 0; i < capacity; ++i) new (made->slots() + i * sizeof(slot<Sync>)) slot<Sync>;
    return made;
  }
  static void destroy(std::pmr::memory_resource& memory, ring* dead) noexcept {
    memory.deallocate(dead, block_bytes(dead->capacity()), alignment);
  }

  /// The slot at a position, which counts the bytes of all slots ever used.
  static slot<Sync>& at(std::byte* slots, std::uint64_t mask, std::int64_t position) noexcept {
    static_assert(std::has_single_bit(sizeof(slot<Sync>)));
    return *reinterpret_cast<slot<Sync>*>(slots + (static_cast<std::uint64_t>(position) & mask));
  }
  slot<Sync>& at(std::int64_t position) const noexcept { return at(slots(), mask(), position); }

  std::byte* slots() const noexcept { return slots_; }
  std::uint64_t mask() const noexcept { return bytes_ - 1; }
  std::int64_t bytes() const noexcept { return static_cast<std::int64_t>(bytes_); }
  std::size_t capacity() const noexcept { return bytes_ / sizeof(slot<Sync>); }
  ring* older() const noexcept { return older_; }

 private:
  static constexpr std::size_t alignment = 64;  // no slot straddles a line
  static constexpr std::size_t block_bytes(std::size_t capacity) noexcept {
    return alignment + capacity * sizeof(slot<Sync>);
  }

  ring(std::size_t capacity, ring* older) noexcept
      : slots_(reinterpret_cast<std::byte*>(this) + alignment), bytes_(capacity * sizeof(slot<Sync>)), older_(older) {
    static_assert(sizeof(ring) <= alignment);
  }

  std::byte* slots_;
  std::uint64_t bytes_;
  ring* older_;
};

}}}  // namespace skua::v0::runtime
