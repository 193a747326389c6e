// SPDX-License-Identifier: MIT
// The memory of a region's slots: the pool's memory, where other processes may read how long the lanes are, or the heap if that
// has no room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string_view>
#include <utility>

#include "skua/machine/threads/engine/core/pool_memory.hpp"
#include "skua/machine/threads/engine/core/worker_slot.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// Destroys a slot in either memory.
struct slot_end {
  bool is_on_heap = true;
  void operator()(worker_slot* s) const noexcept {
    if (is_on_heap) {
      delete s;
    } else {
      s->~worker_slot();
    }
  }
};
using slot_pointer = std::unique_ptr<worker_slot, slot_end>;

/// It must outlive the slots.
class slot_room {
 public:
  /// `pool`: null for a guest's pool, whose slots go on the heap.
  explicit slot_room(std::shared_ptr<pool_memory> pool) noexcept
      : pool_(std::move(pool)), begin_(pool_ == nullptr ? nullptr : pool_->take_slots()) {}
  ~slot_room() {
    if (begin_ != nullptr) pool_->give_slots(begin_);
  }
  slot_room(slot_room const&) = delete;
  slot_room& operator=(slot_room const&) = delete;

  /// Makes slot number `i`. Throws std::bad_alloc.
  template <class... Arguments>
  [[nodiscard]] slot_pointer make(std::uint32_t i, Arguments&&... arguments) const {
    if (begin_ == nullptr) return slot_pointer(new worker_slot(std::forward<Arguments>(arguments)...));
    void* const room = begin_ + i * sizeof(worker_slot);
    return slot_pointer(new (room) worker_slot(std::forward<Arguments>(arguments)...), {.is_on_heap = false});
  }

  /// Call it once all slots are made. `first` is number 0.
  void show(worker_slot const& first, std::uint32_t workers, std::uint64_t number,
            std::string_view policy) const noexcept {
    if (begin_ != nullptr) pool_->show(begin_, first, workers, number, policy);
  }
  /// Before the first of them ends.
  void hide() const noexcept {
    if (begin_ != nullptr) pool_->hide(begin_);
  }

 private:
  std::shared_ptr<pool_memory> const pool_;
  std::byte* const begin_;  ///< null: the slots go on the heap
};

}}}  // namespace skua::v0::runtime
