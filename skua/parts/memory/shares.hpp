// SPDX-License-Identifier: MIT
// Whose is which part of an array: contiguous shares as large as the places' ranges of workers, or blocks dealt out in
// turn [numa-ws-2018 III-A]. Pure arithmetic; bind.hpp and touch.hpp make it true.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "skua/parts/base/ids.hpp"

namespace skua::runtime {

/// Elements [first, first + count) belong to a place.
struct share {
  place_id place;
  std::size_t first;
  std::size_t count;
  friend bool operator==(share const&, share const&) = default;
};

/// One share per place, in order, without gaps; place p has weights[p] of the whole, which is the number of its workers
/// where the shares are to match the ranges that the places own. A share may have no elements. Exact: boundary k is
/// floor(elements * (weights before k) / (all weights)). No weight, or only zeros: the first place has all.
[[nodiscard]] std::vector<share> contiguous_shares(std::size_t elements, std::span<std::uint32_t const> weights);

/// Whole pages of a place: bytes [first, first + bytes) from the beginning of the array.
struct page_run {
  place_id place;
  std::size_t first;
  std::size_t bytes;
  friend bool operator==(page_run const&, page_run const&) = default;
};

/// The pages under shares that cover `bytes` (whole pages) in order. A page belongs to the place that owns its first
/// byte; what is left behind the last element belongs to the last share. Every page is in exactly one run.
[[nodiscard]] std::vector<page_run> pages_of(std::span<share const> shares, std::size_t element_bytes,
                                             std::size_t bytes, std::size_t page_bytes);

/// Block k belongs to place k mod places. Blocks are `block_bytes` rounded up to whole pages (at least one); the last may
/// be shorter. Every page is in exactly one run.
[[nodiscard]] std::vector<page_run> cyclic_blocks(std::size_t bytes, std::size_t block_bytes, std::size_t page_bytes,
                                                  std::uint32_t places);

}  // namespace skua::runtime

namespace skua {

using runtime::page_run;
using runtime::share;

}  // namespace skua
