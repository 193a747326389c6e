// SPDX-License-Identifier: MIT
#include "skua/parts/memory/shares.hpp"

#include <algorithm>

#include "skua/parts/base/assert.hpp"
#include "skua/parts/memory/page_block.hpp"

namespace skua { inline namespace v0 { namespace runtime {
namespace {

/// floor(whole * part / parts) for part <= parts < 2^32, without a wider type: whole = q * parts + r.
std::size_t portion(std::size_t whole, std::uint64_t part, std::uint64_t parts) noexcept {
  return whole / parts * part + whole % parts * part / parts;
}

}  // namespace

std::vector<share> contiguous_shares(std::size_t elements, std::span<std::uint32_t const> weights) {
  std::uint64_t all = 0;
  for (std::uint32_t const w : weights) all += w;
  expects(all < (std::uint64_t{1} << 32U), "the places have fewer than 2^32 workers together");
  if (all == 0) return {{.place = place_id{0}, .first = 0, .count = elements}};
  std::vector<share> shares;
  shares.reserve(weights.size());
  std::uint64_t before = 0;
  std::size_t first = 0;
  for (std::uint32_t p = 0; p < weights.size(); ++p) {
    before += weights[p];
    std::size_t const end = portion(elements, before, all);
    shares.push_back({.place = place_id{p}, .first = first, .count = end - first});
    first = end;
  }
  invariant(first == elements, "the shares cover the array");
  return shares;
}

std::vector<page_run> pages_of(std::span<share const> shares, std::size_t element_bytes, std::size_t bytes,
                               std::size_t page_bytes) {
  expects(bytes % page_bytes == 0, "an array is laid on whole pages");
  std::vector<page_run> runs;
  std::size_t first = 0;
  for (share const& s : shares) {
    bool const last = &s == &shares.back();
    std::size_t const end =
        last ? bytes : std::min(bytes, whole_pages((s.first + s.count) * element_bytes, page_bytes));
    if (end > first) runs.push_back({.place = s.place, .first = first, .bytes = end - first});
    first = std::max(first, end);
  }
  return runs;
}

std::vector<page_run> cyclic_blocks(std::size_t bytes, std::size_t block_bytes, std::size_t page_bytes,
                                    std::uint32_t places) {
  expects(bytes % page_bytes == 0, "an array is laid on whole pages");
  expects(places > 0, "there is a place");
  std::size_t const block = whole_pages(std::clamp<std::size_t>(block_bytes, 1, bytes), page_bytes);
  std::vector<page_run> runs;
  std::uint32_t place = 0;
  for (std::size_t first = 0; first < bytes; first += block) {
    runs.push_back({.place = place_id{place}, .first = first, .bytes = std::min(block, bytes - first)});
    place = place + 1 == places ? 0 : place + 1;
  }
  return runs;
}

}}}  // namespace skua::v0::runtime
