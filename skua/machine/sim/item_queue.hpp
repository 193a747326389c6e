// SPDX-License-Identifier: MIT
// The items of one lane, oldest first: a ring in one block that only grows. A stack that forks and takes back moves
// within the same cache lines, and allocates nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "skua/machine/sim/item.hpp"

namespace skua { inline namespace v0 { namespace sim {

class item_queue {
 public:
  item_queue() = default;
  item_queue(item_queue&& other) noexcept
      : room_(std::move(other.room_)), capacity_(std::exchange(other.capacity_, 0)),
        first_(std::exchange(other.first_, 0)), size_(std::exchange(other.size_, 0)) {}
  item_queue& operator=(item_queue&&) = delete;

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  /// 0: the oldest.
  [[nodiscard]] item const& operator[](std::size_t i) const noexcept { return room_[slot(i)]; }
  [[nodiscard]] item const& newest() const noexcept { return (*this)[size_ - 1]; }

  void fetch_newest() const noexcept { __builtin_prefetch(room_.get() + slot(size_ - std::size_t{1}), 1); }

  void push(item const& it) {
    if (size_ == capacity_) [[unlikely]]
      grow();
    room_[slot(size_++)] = it;
  }
  /// Precondition: there is an item i. Cost: moves the items on its shorter side.
  item take(std::size_t i) noexcept {
    item const taken = (*this)[i];
    if (i < size_ / 2) {
      for (std::size_t k = i; k > 0; --k) room_[slot(k)] = room_[slot(k - 1)];
      first_ = (first_ + 1) & (capacity_ - 1);
    } else {
      for (std::size_t k = i; k + 1 < size_; ++k) room_[slot(k)] = room_[slot(k + 1)];
    }
    --size_;
    return taken;
  }

  class iterator {
   public:
    iterator(item_queue const& of, std::size_t i) noexcept : of_(&of), i_(i) {}
    item const& operator*() const noexcept { return (*of_)[i_]; }
    iterator& operator++() noexcept {
      ++i_;
      return *this;
    }
    friend bool operator==(iterator const&, iterator const&) = default;

   private:
    item_queue const* of_;
    std::size_t i_;
  };
  [[nodiscard]] iterator begin() const noexcept { return {*this, 0}; }
  [[nodiscard]] iterator end() const noexcept { return {*this, size_}; }

 private:
  [[nodiscard]] std::size_t slot(std::size_t i) const noexcept { return (first_ + i) & (capacity_ - 1); }

  [[gnu::cold, gnu::noinline]] void grow() {
    std::uint32_t const wider = capacity_ == 0 ? 4 : 2 * capacity_;
    auto room = std::make_unique_for_overwrite<item[]>(wider);
    for (std::size_t i = 0; i < size_; ++i) room[i] = (*this)[i];
    room_ = std::move(room);
    capacity_ = wider;
    first_ = 0;
  }

  std::unique_ptr<item[]> room_;
  std::uint32_t capacity_ = 0;  ///< a power of two, or 0
  std::uint32_t first_ = 0;     ///< the slot of the oldest
  std::uint32_t size_ = 0;
};

}}}  // namespace skua::v0::sim
