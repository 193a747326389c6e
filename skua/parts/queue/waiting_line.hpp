// SPDX-License-Identifier: MIT
// A vector whose first entry can be taken as cheaply as its last: it remembers where it begins. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <new>
#include <vector>

namespace skua { inline namespace v0 { namespace runtime {

template <class Item>
class waiting_line {
 public:
  waiting_line() = default;
  /// Reserves memory for `room` entries. Throws std::bad_alloc.
  explicit waiting_line(std::size_t room) { items_.reserve(room); }

  /// Makes room for `more` further entries; false: no memory. Amortised O(1): the room doubles, or the free room in front is used
  /// again once it is half of the whole.
  [[nodiscard]] bool reserve_more(std::size_t more) noexcept {
    if (items_.size() + more <= items_.capacity()) return true;
    if (first_ >= items_.size() - first_) {
      items_.erase(items_.begin(), begin());
      first_ = 0;
      if (items_.size() + more <= items_.capacity()) return true;
    }
    try {
      items_.reserve(std::max(items_.size() + more, 2 * items_.capacity()));
    } catch (std::bad_alloc const&) {
      return false;
    }
    return true;
  }
  /// There must be room.
  void push_back(Item const& item) noexcept { items_.push_back(item); }

  [[nodiscard]] bool empty() const noexcept { return first_ == items_.size(); }
  [[nodiscard]] auto begin() noexcept { return items_.begin() + static_cast<std::ptrdiff_t>(first_); }
  [[nodiscard]] auto end() noexcept { return items_.end(); }

  /// O(1) at either end, else in the distance to the nearer one.
  void erase(typename std::vector<Item>::iterator at) noexcept {
    if (at - begin() < end() - at - 1) {
      for (auto to = at; to != begin(); --to) *to = *std::prev(to);  // GCC 12 warns of move_backward
      ++first_;
    } else {
      items_.erase(at);
    }
    if (!empty()) return;
    items_.clear();
    first_ = 0;
  }

 private:
  std::vector<Item> items_;  ///< from first_ on
  std::size_t first_ = 0;
};

}}}  // namespace skua::v0::runtime
