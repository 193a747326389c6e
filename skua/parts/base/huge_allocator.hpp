// SPDX-License-Identifier: MIT
// A std::allocator whose large blocks lie on huge pages, where the kernel has them: for vectors of hundreds of megabytes
// that are read here and there, where each access would miss the TLB, and each small page costs a fault of its own.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace skua { inline namespace v0 { namespace runtime {

/// From a multiple of their size on, whole ones. A kernel that refuses gives small pages.
void ask_for_huge_pages(void* start, std::size_t bytes) noexcept;

template <class T>
class huge_allocator {
 public:
  using value_type = T;

  huge_allocator() = default;
  template <class U>
  constexpr huge_allocator(huge_allocator<U> const&) noexcept {}  // NOLINT(google-explicit-constructor)

  /// Throws std::bad_alloc.
  [[nodiscard]] T* allocate(std::size_t n) {
    if (!is_large(n)) return std::allocator<T>().allocate(n);
    void* const block = ::operator new(n * sizeof(T), huge);
    ask_for_huge_pages(block, n * sizeof(T) / page_bytes * page_bytes);
    return static_cast<T*>(block);
  }
  void deallocate(T* block, std::size_t n) noexcept {
    if (!is_large(n)) return std::allocator<T>().deallocate(block, n);
    ::operator delete(block, n * sizeof(T), huge);
  }

  friend constexpr bool operator==(huge_allocator const&, huge_allocator const&) noexcept { return true; }

 private:
  static constexpr std::size_t page_bytes = std::size_t{2} << 20;  ///< of x86-64 and AArch64
  static constexpr std::align_val_t huge{page_bytes};
  /// Half of the last page lies idle at most.
  static constexpr bool is_large(std::size_t n) noexcept { return n >= 2 * page_bytes / sizeof(T); }
};

}}}  // namespace skua::v0::runtime
