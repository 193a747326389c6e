// SPDX-License-Identifier: MIT
// oneTBB's cache_aligned_allocator: memory that shares no cache line with anything else.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <new>
#include <type_traits>

#include "skua/parts/base/platform.hpp"

namespace skua { inline namespace v0 { namespace tbb {

/// An allocator for containers. Each block begins at a cache line and ends at one.
template <class T>
class cache_aligned_allocator {
  static constexpr std::size_t line = std::max(runtime::cache_line_bytes, alignof(T));

 public:
  using value_type = T;
  using propagate_on_container_move_assignment = std::true_type;
  using is_always_equal = std::true_type;

  cache_aligned_allocator() = default;
  template <class U>
  cache_aligned_allocator(cache_aligned_allocator<U> const&) noexcept {}

  /// Throws std::bad_alloc.
  [[nodiscard]] T* allocate(std::size_t n) {
    if (n > max_size()) throw std::bad_array_new_length();
    return static_cast<T*>(::operator new(bytes(n), std::align_val_t{line}));
  }
  void deallocate(T* p, std::size_t n) noexcept { ::operator delete(p, bytes(n), std::align_val_t{line}); }
  [[nodiscard]] std::size_t max_size() const noexcept {
    return (std::numeric_limits<std::size_t>::max() - line) / sizeof(T);
  }
  template <class U>
  friend bool operator==(cache_aligned_allocator const&, cache_aligned_allocator<U> const&) noexcept {
    return true;
  }

 private:
  static std::size_t bytes(std::size_t n) noexcept { return (n * sizeof(T) + line - 1) / line * line; }
};

}}}  // namespace skua::v0::tbb
