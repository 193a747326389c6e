// SPDX-License-Identifier: MIT
// Slots of equal size in one block of memory: the storage of the split queue's ring. The queue's model has slots that
// detect races.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

namespace skua { inline namespace v0 { namespace ranks {

class byte_slots {
 public:
  static constexpr std::uint64_t first_capacity = 16;
  using slot = std::byte;
  using run = std::span<std::byte const>;

  /// Throws std::bad_alloc.
  byte_slots(std::size_t slot_bytes, std::uint64_t slots)
      : memory_(std::make_unique_for_overwrite<std::byte[]>(slot_bytes * slots)) {}

  [[nodiscard]] slot* at(std::uint64_t index, std::size_t slot_bytes) const noexcept {
    return memory_.get() + index * slot_bytes;
  }
  /// `slots` consecutive ones.
  [[nodiscard]] run run_at(std::uint64_t index, std::uint64_t slots, std::size_t slot_bytes) const noexcept {
    return {at(index, slot_bytes), slots * slot_bytes};
  }

  static void put(slot* to, void const* task, std::size_t slot_bytes) noexcept { std::memcpy(to, task, slot_bytes); }
  static void get(void* task, slot const* from, std::size_t slot_bytes) noexcept {
    std::memcpy(task, from, slot_bytes);
  }
  static void copy(slot* to, slot const* from, std::size_t slot_bytes) noexcept { std::memcpy(to, from, slot_bytes); }

 private:
  std::unique_ptr<std::byte[]> memory_;
};

}}}  // namespace skua::v0::ranks
