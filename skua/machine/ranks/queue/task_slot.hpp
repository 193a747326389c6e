// SPDX-License-Identifier: MIT
// How a task lies in queues, records and messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace skua::inline v0::ranks {

/// What the queue keeps behind the bytes of a task.
struct slot_mark {
  std::uint32_t origin = 0;   ///< the rank that added it first
  std::uint32_t spawned = 0;  ///< 1: a task added it; its parent will add it again
};

/// And behind the mark, where lost tasks run again (protocol/recovery.md).
struct task_identity {
  std::uint64_t number = 0;
  std::uint64_t hop = 0;  ///< how often it was stolen
};

/// A slot: the task, padded to 8 bytes, its mark, and its identity if it has one.
struct slot_shape {
  std::size_t task_bytes = 0;
  bool has_identity = false;

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
};

}  // namespace skua::inline v0::ranks
