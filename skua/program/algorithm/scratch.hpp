// SPDX-License-Identifier: MIT
// Storage for n objects that several tasks construct piece by piece. It destroys the constructed pieces even if a task
// throws.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "skua/program/algorithm/for_each.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// Raw memory for n objects of type T, divided into pieces. One task constructs a piece, all of it or nothing, and
/// notes it; the destructor destroys the noted pieces.
///
/// Invariant (noted): pieces_[p] is not empty  <=>  exactly its objects are alive.
template <class T>
class scratch {
 public:
  /// Throws std::bad_alloc; constructs nothing.
  scratch(std::size_t n, std::size_t pieces)
      : pieces_(std::is_trivially_destructible_v<T> ? 0 : pieces), n_(n), room_(std::allocator<T>{}.allocate(n)) {}
  ~scratch() {
    for (piece& p : pieces_) std::destroy_n(p.first, p.size);
    std::allocator<T>{}.deallocate(room_, n_);
  }
  scratch(scratch const&) = delete;
  scratch& operator=(scratch const&) = delete;

  [[nodiscard]] T* data() const noexcept { return room_; }

  /// Notes that this task has constructed [first, first + size), which is piece p. Different tasks note different
  /// pieces. The join of these tasks orders the notes before the destructor.
  void note(std::size_t p, T* first, std::size_t size) noexcept {
    if constexpr (!std::is_trivially_destructible_v<T>) pieces_[p] = {first, size};
  }

  /// Destroys all objects now, in parallel. If a stop interrupts this, the destructor destroys the rest.
  template <fork_join Here>
  void clear(Here& here) {
    for_each(here, pieces_, [](piece& p) { std::destroy_n(p.first, std::exchange(p.size, 0)); });
  }

 private:
  struct piece {
    T* first = nullptr;
    std::size_t size = 0;
  };
  std::vector<piece> pieces_;
  std::size_t n_;
  T* room_;
};

}}}  // namespace skua::v0::runtime
