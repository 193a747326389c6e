// SPDX-License-Identifier: MIT
// An array on pages of its own, so that these can be placed: what numbers of a matrix or cells of a grid live in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>

#include "skua/parts/base/error.hpp"
#include "skua/parts/memory/page_block.hpp"

namespace skua::runtime {

/// All elements are zero bytes at first, and no page has been touched: the first to write to a page decides where it
/// lies, unless it was bound. Aligned to a page. Moves, and does not copy. After a move it is empty.
template <class T>
  requires std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>
class page_array {
 public:
  using value_type = T;

  /// Throws resource_error: no elements, more than can be counted in bytes, no memory. One to four system calls.
  explicit page_array(std::size_t elements, page_size pages = page_size::small,
                      page_kernel const& kernel = running_kernel())
      : block_(bytes_of(elements), pages, kernel), size_(elements) {}

  [[nodiscard]] T* data() const noexcept { return reinterpret_cast<T*>(block_.bytes().data()); }
  [[nodiscard]] std::size_t size() const noexcept { return block_.bytes().empty() ? 0 : size_; }
  [[nodiscard]] T& operator[](std::size_t i) const noexcept { return data()[i]; }
  [[nodiscard]] T* begin() const noexcept { return data(); }
  [[nodiscard]] T* end() const noexcept { return data() + size(); }
  [[nodiscard]] std::span<T> elements() const noexcept { return {data(), size()}; }

  /// The pages below: what bind_pages, locate_pages and first touch take.
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

}  // namespace skua::runtime

namespace skua {

using runtime::page_array;

}  // namespace skua
