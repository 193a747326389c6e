// SPDX-License-Identifier: MIT
// oneTBB's other allocators: the process's own malloc, under the names that programs use. A faster one is a library to preload.
#pragma once

#include <cstddef>
#include <limits>
#include <memory_resource>
#include <new>
#include <type_traits>

#include "skua/parts/base/platform.hpp"

namespace skua { inline namespace v0 { namespace tbb {

/// `Name` only tells them apart.
template <class T, class Name>
class allocator_of {
 public:
  using value_type = T;
  using propagate_on_container_move_assignment = std::true_type;
  using is_always_equal = std::true_type;
  template <class U>
  struct rebind {
    using other = allocator_of<U, Name>;
  };

  allocator_of() = default;
  template <class U>
  allocator_of(allocator_of<U, Name> const&) noexcept {}

  /// Throws std::bad_alloc.
  [[nodiscard]] T* allocate(std::size_t n) {
    if (n > max_size()) throw std::bad_array_new_length();
    return static_cast<T*>(::operator new(n * sizeof(T), std::align_val_t{alignof(T)}));
  }
  void deallocate(T* p, std::size_t n) noexcept { ::operator delete(p, n * sizeof(T), std::align_val_t{alignof(T)}); }
  [[nodiscard]] std::size_t max_size() const noexcept { return std::numeric_limits<std::size_t>::max() / sizeof(T); }
  template <class U>
  friend bool operator==(allocator_of const&, allocator_of<U, Name> const&) noexcept {
    return true;
  }
};

template <class T>
using tbb_allocator = allocator_of<T, class general>;
template <class T>
using scalable_allocator = allocator_of<T, class scalable>;

/// Memory that shares no cache line with anything else, from another resource.
class cache_aligned_resource : public std::pmr::memory_resource {
 public:
  cache_aligned_resource() : cache_aligned_resource(std::pmr::get_default_resource()) {}
  explicit cache_aligned_resource(std::pmr::memory_resource* from) : from_(from) {}
  [[nodiscard]] std::pmr::memory_resource* upstream_resource() const { return from_; }

 private:
  static std::size_t line(std::size_t alignment) noexcept {
    return alignment < runtime::cache_line_bytes ? runtime::cache_line_bytes : alignment;
  }
  static std::size_t whole(std::size_t bytes, std::size_t line_bytes) noexcept {
    return (bytes + line_bytes - 1) / line_bytes * line_bytes;
  }
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    std::size_t const at = line(alignment);
    if (bytes > std::numeric_limits<std::size_t>::max() - at) throw std::bad_alloc();
    return from_->allocate(whole(bytes, at), at);
  }
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
    std::size_t const at = line(alignment);
    from_->deallocate(p, whole(bytes, at), at);
  }
  [[nodiscard]] bool do_is_equal(std::pmr::memory_resource const& other) const noexcept override {
    auto const* const same = dynamic_cast<cache_aligned_resource const*>(&other);
    return same != nullptr && from_->is_equal(*same->from_);
  }
  std::pmr::memory_resource* from_;
};

[[nodiscard]] inline std::pmr::memory_resource* scalable_memory_resource() noexcept {
  return std::pmr::new_delete_resource();
}

}}}  // namespace skua::v0::tbb
