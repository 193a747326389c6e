// SPDX-License-Identifier: MIT
// Whole zeroed pages with a single owner: the storage of an array whose pages can be placed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "skua/parts/memory/page_kernel.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// The size of the pages, and so the granularity of placement.
enum class page_size : std::uint8_t {
  small,  ///< never huge, because one touch of a huge page places 2 MiB, which several workers may own
  huge,   ///< huge if the kernel has them: fewer TLB misses, placement in units of 2 MiB
};

/// Owns mapped pages. Movable, not copyable.
class page_block {
 public:
  /// Maps `bytes`, rounded up to whole pages, and touches none. Throws resource_error for zero or too many bytes, and
  /// if there is no memory.
  explicit page_block(std::size_t bytes, page_size pages = page_size::small,
                      page_kernel const& kernel = running_kernel());
  ~page_block();
  page_block(page_block&& other) noexcept;
  page_block& operator=(page_block&& other) noexcept;

  /// Start and length are multiples of page_bytes(). Empty after a move.
  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }
  /// The granularity of placement, in bytes: a huge page if huge pages were requested and granted, otherwise a small
  /// page.
  [[nodiscard]] std::size_t page_bytes() const noexcept { return page_bytes_; }
  /// The error number with which the kernel refused requested huge pages; 0 if it did not.
  [[nodiscard]] int refusal() const noexcept { return refusal_; }

 private:
  std::span<std::byte> bytes_;
  std::size_t page_bytes_;
  int refusal_ = 0;
};

/// Returns `bytes` rounded up to a multiple of `page`. Precondition: the result fits into std::size_t.
[[nodiscard]] constexpr std::size_t whole_pages(std::size_t bytes, std::size_t page) noexcept {
  return (bytes + page - 1) / page * page;
}

}}}  // namespace skua::v0::runtime

namespace skua { inline namespace v0 {

using runtime::page_size;

namespace memory {

using runtime::page_block;

}  // namespace memory
}}  // namespace skua::v0
