// SPDX-License-Identifier: MIT
// An array on pages of its own, so that the pages can be placed: for the numbers of a matrix or the cells of a grid.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>

#include "skua/parts/base/error.hpp"
#include "skua/parts/memory/page_block.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// An array on whole pages, aligned to a page. Elements start as zero bytes, on untouched pages: unless a page was
/// bound, the kernel puts it on the NUMA node of the thread that first writes to it. Movable, not copyable; empty after
/// a move.
template <class T>
  requires std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>
class page_array {
 public:
  using value_type = T;

  /// Throws resource_error for zero elements, for more bytes than std::size_t can count, and if there is no memory.
  /// Cost: one to four system calls.
  explicit page_array(std::size_t elements, page_size pages = page_size::small,
                      page_kernel const& kernel = running_kernel())
      : block_(bytes_of(elements), pages, kernel), size_(elements) {}

  [[nodiscard]] T* data() const noexcept { return reinterpret_cast<T*>(block_.bytes().data()); }
  [[nodiscard]] std::size_t size() const noexcept { return block_.bytes().empty() ? 0 : size_; }
  [[nodiscard]] T& operator[](std::size_t i) const noexcept { return data()[i]; }
  [[nodiscard]] T* begin() const noexcept { return data(); }
  [[nodiscard]] T* end() const noexcept { return data() + size(); }
  [[nodiscard]] std::span<T> elements() const noexcept { return {data(), size()}; }

  /// The pages of the array, for bind_pages, locate_pages and touch_pages.
  [[nodiscard]] page_block const& block() const noexcept { return block_; }

 private:
  static std::size_t bytes_of(std::size_t elements) {
    if (elements > std::numeric_limits<std::size_t>::max() / sizeof(T)) {
      throw resource_error("cannot map an array of " + std::to_string(elements) + " elements of " +
                           std::to_string(sizeof(T)) + " bytes: that many bytes cannot be counted");
    }
    return elements * sizeof(T);
  }

  page_block block_;
  std::size_t size_;
};

}}}  // namespace skua::v0::runtime

namespace skua { inline namespace v0 {

using runtime::page_array;

}}  // namespace skua::v0
