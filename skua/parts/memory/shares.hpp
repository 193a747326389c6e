// SPDX-License-Identifier: MIT
// Which place owns which part of an array: contiguous shares in proportion to the places' workers, or blocks
// distributed round-robin [numa-ws-2018 III-A]. Pure arithmetic; bind.hpp and touch.hpp place the pages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "skua/parts/base/ids.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// Elements [first, first + count) belong to a place.
struct share {
  place_id place;
  std::size_t first;
  std::size_t count;
  friend bool operator==(share const&, share const&) = default;
};

/// Returns one share per place, in order, without gaps. Place p gets the fraction weights[p] / (sum of weights) of the
/// elements; with the number of its workers as the weight, its share matches the place's range of workers. A share may
/// be empty. Exact: boundary k is floor(elements * (weights before k) / (sum of weights)). Without weights, or if all
/// are zero, the first place gets all elements.
[[nodiscard]] std::vector<share> contiguous_shares(std::size_t elements, std::span<std::uint32_t const> weights);

/// Whole pages of one place: bytes [first, first + bytes) from the beginning of the array.
struct page_run {
  place_id place;
  std::size_t first;
  std::size_t bytes;
  friend bool operator==(page_run const&, page_run const&) = default;
};

/// Returns the pages of shares that cover `bytes` (whole pages) in order. A page belongs to the place that owns its
/// first byte; bytes after the last element belong to the last share. Every page is in exactly one run.
[[nodiscard]] std::vector<page_run> pages_of(std::span<share const> shares, std::size_t element_bytes,
                                             std::size_t bytes, std::size_t page_bytes);

/// Block k belongs to place k mod places. Blocks are `block_bytes` rounded up to whole pages (at least one); the last
/// may be shorter. Every page is in exactly one run.
[[nodiscard]] std::vector<page_run> cyclic_blocks(std::size_t bytes, std::size_t block_bytes, std::size_t page_bytes,
                                                  std::uint32_t places);

}}}  // namespace skua::v0::runtime

namespace skua { inline namespace v0 { namespace memory {

using runtime::page_run;
using runtime::share;

}}}  // namespace skua::v0::memory
