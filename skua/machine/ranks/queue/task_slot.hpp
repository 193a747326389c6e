// SPDX-License-Identifier: MIT
// The layout of a task in queues, records and messages. task_slot.md says who owns the memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

namespace skua { inline namespace v0 { namespace ranks {

/// Stored behind the bytes of a task.
struct slot_mark {
  std::uint32_t origin = 0;   ///< the rank that added it first
  std::uint16_t spawned = 0;  ///< 1: a task added it; its parent will add it again
  std::uint16_t divides = 0;  ///< 1: it splits before it runs (collection/splitting.md)
};

/// Stored behind the mark, if lost tasks run again (protocol/recovery.md).
struct task_identity {
  std::uint64_t number = 0;
  std::uint64_t hop = 0;  ///< how often it was stolen
};

/// The bytes of a serialized task, behind their length.
struct task_block {
  std::size_t size = 0;
  [[nodiscard]] std::byte* bytes() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
};

/// A slot: the task, padded to 8 bytes, its mark, and its identity if it has one. The slot of a serialized task has a pointer to its task_block
/// instead.
struct slot_shape {
  std::size_t task_bytes = 0;
  bool has_identity = false;
  bool has_block = false;  ///< tasks are serialized; task_bytes is that of a pointer

  [[nodiscard]] std::size_t mark_at() const noexcept { return (task_bytes + 7) / 8 * 8; }
  [[nodiscard]] std::size_t identity_at() const noexcept { return mark_at() + sizeof(slot_mark); }
  /// A multiple of 16, so that the tasks of a ring are as aligned as its memory.
  [[nodiscard]] std::size_t bytes() const noexcept {
    return (identity_at() + (has_identity ? sizeof(task_identity) : 0) + 15) / 16 * 16;
  }
  [[nodiscard]] slot_mark mark_of(std::byte const* slot) const noexcept {
    slot_mark m;
    std::memcpy(&m, slot + mark_at(), sizeof m);
    return m;
  }
  void set_mark(std::byte* slot, slot_mark m) const noexcept { std::memcpy(slot + mark_at(), &m, sizeof m); }
  [[nodiscard]] task_identity identity_of(std::byte const* slot) const noexcept {
    task_identity i;
    std::memcpy(&i, slot + identity_at(), sizeof i);
    return i;
  }
  void set_identity(std::byte* slot, task_identity i) const noexcept {
    std::memcpy(slot + identity_at(), &i, sizeof i);
  }

  /// The bytes of the task.
  [[nodiscard]] std::span<std::byte> task_in(std::byte* slot) const noexcept {
    if (!has_block) return {slot, task_bytes};
    task_block* const block = block_of(slot);
    return {block->bytes(), block->size};
  }
  /// Writes the task into the slot, without its mark. Throws std::bad_alloc.
  void put(std::byte* slot, std::span<std::byte const> task) const {
    if (has_block) {
      set_block(slot, make_block(task));
    } else {
      std::memcpy(slot, task.data(), task_bytes);
    }
  }
  /// Writes another task into the slot in place of its own. Throws std::bad_alloc, and changes nothing then.
  void replace(std::byte* slot, std::span<std::byte const> task) const {
    if (!has_block) return put(slot, task);
    task_block* const before = block_of(slot);
    set_block(slot, make_block(task));
    ::operator delete(before);
  }
  /// Frees the slot's task: its owner does not need it.
  void drop(std::byte const* slot) const noexcept {
    if (has_block) ::operator delete(block_of(slot));
  }

  // Tasks that travel to another rank, or into a file.

  /// Appends a copy of the task and its mark.
  void pack(std::byte const* slot, std::vector<std::byte>& to) const;
  /// The size of the first task in these bytes; nothing if they end within it.
  [[nodiscard]] std::optional<std::size_t> packed_bytes(std::span<std::byte const> from) const noexcept;
  /// The mark of the first task in these bytes, which are at least `packed_bytes`.
  [[nodiscard]] static slot_mark packed_mark(std::span<std::byte const> from) noexcept;
  /// Unpacks the first task into the slot, and removes its bytes. Throws std::bad_alloc.
  void unpack(std::span<std::byte const>& from, std::byte* slot) const;

 private:
  [[nodiscard]] static task_block* block_of(std::byte const* slot) noexcept {
    task_block* block = nullptr;
    std::memcpy(&block, slot, sizeof block);
    return block;
  }
  static void set_block(std::byte* slot, task_block* block) noexcept { std::memcpy(slot, &block, sizeof block); }
  [[nodiscard]] static task_block* make_block(std::span<std::byte const> task);
};

}}}  // namespace skua::v0::ranks
