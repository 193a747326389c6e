// SPDX-License-Identifier: MIT
// Whole pages of memory, all zero, that belong to nobody else: what an array is laid on so that its pages can be placed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "skua/parts/memory/page_kernel.hpp"

namespace skua::runtime {

/// How large the pages are, and so how finely they can be placed.
enum class page_size : std::uint8_t {
  small,  ///< never huge: otherwise one touch places 2 MiB, whoever owns the rest of them
  huge,   ///< huge where the kernel has them: fewer misses in the TLB, placed by 2 MiB
};

class page_block {
 public:
  /// Maps `bytes`, rounded up to whole pages; no page is touched. Throws resource_error: no bytes, too many, no memory.
  explicit page_block(std::size_t bytes, page_size pages = page_size::small,
                      page_kernel const& kernel = running_kernel());
  ~page_block();
  page_block(page_block&& other) noexcept;
  page_block& operator=(page_block&& other) noexcept;

  /// Starts at a multiple of page_bytes() and is one long. Empty after a move.
  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }
  /// What placement rounds to: of a huge page if these were asked for and granted, else of a small one.
  [[nodiscard]] std::size_t page_bytes() const noexcept { return page_bytes_; }
  /// Why there are no huge pages although they were asked for: an error number, or 0.
  [[nodiscard]] int refusal() const noexcept { return refusal_; }

 private:
  std::span<std::byte> bytes_;
  std::size_t page_bytes_;
  int refusal_ = 0;
};

/// Rounded up to a multiple of `page`. The result must fit.
[[nodiscard]] constexpr std::size_t whole_pages(std::size_t bytes, std::size_t page) noexcept {
  return (bytes + page - 1) / page * page;
}

}  // namespace skua::runtime

namespace skua {

using runtime::page_block;
using runtime::page_size;

}  // namespace skua
