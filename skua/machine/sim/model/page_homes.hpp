// SPDX-License-Identifier: MIT
// Maps addresses to small numbers: blocks are numbered in the order in which their neighbourhood (2 MiB) is first seen.
// Every page has a home, the NUMA node that holds it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "skua/machine/sim/model/cache.hpp"

namespace skua { inline namespace v0 { namespace sim {

/// The placement of pages that no call has bound.
struct page_placement {
  enum class kind : std::uint8_t {
    first_touch,  ///< to the node of the core that touches them first in this run
    interleave,   ///< to all nodes in turn, in the order of first touches
    places,  ///< memory that the program gives to places lies there (the cost model binds it); all other pages as prepared
    prepared,  ///< memory written before the run lies on the node of worker 0; all other pages as first_touch
    bind,      ///< to `node`
  };
  kind mode = kind::first_touch;
  std::uint32_t node = 0;

  /// "first-touch", "interleave", "places", "prepared" or "bind:N". Throws usage_error that names `name`.
  [[nodiscard]] static page_placement read(std::string_view name, std::string_view text);
  [[nodiscard]] std::string text() const;
};

class page_homes {
 public:
  /// Throws usage_error for a node that does not exist.
  page_homes(page_placement where, std::uint32_t nodes, std::uint64_t block_bytes, std::uint64_t page_bytes);

  /// The id of block number `block` of memory. Cost: a few ns if its neighbourhood was seen recently.
  [[nodiscard]] block_id block_of(std::uint64_t block) {
    recent& r = recent_[(block >> chunk_shift_) % recent_.size()];
    if (r.chunk != block >> chunk_shift_) [[unlikely]]
      r = look_up(block >> chunk_shift_);
    return r.first + static_cast<block_id>(block & ((std::uint64_t{1} << chunk_shift_) - 1));
  }
  /// Block ids are below this. It changes only in block_of and bind_pages.
  [[nodiscard]] std::size_t blocks() const noexcept { return homes_.size() << page_shift_; }

  /// The node of a block that a core on node `toucher` touches now.
  [[nodiscard]] std::uint32_t home(block_id b, std::uint32_t toucher) noexcept {
    std::uint16_t& node = homes_[b >> page_shift_];
    if (node == nowhere) [[unlikely]] {
      node = choose(toucher);
      ++first_touches_;
    }
    return node;
  }

  /// From now on the pages of this range, those at its ends included, lie on `node`: as if bound there, or moved.
  void bind_pages(std::uint64_t address, std::uint64_t bytes, std::uint32_t node);

  /// How many pages got their home by a touch.
  [[nodiscard]] std::uint64_t first_touches() const noexcept { return first_touches_; }

  /// How many pages lie on each node.
  [[nodiscard]] std::vector<std::uint64_t> pages() const;

 private:
  static constexpr std::uint16_t nowhere = 0xffff;
  static constexpr std::uint64_t chunk_bytes = std::uint64_t{2} << 20;

  struct recent {
    std::uint64_t chunk = ~std::uint64_t{0};
    block_id first = 0;
  };

  recent look_up(std::uint64_t chunk);
  std::uint16_t choose(std::uint32_t toucher) noexcept;

  page_placement placement_;
  std::uint32_t nodes_;
  std::uint64_t block_bytes_;
  std::uint64_t page_bytes_;
  std::uint32_t chunk_shift_;  ///< blocks of a chunk, as a power of two
  std::uint32_t page_shift_;   ///< blocks of a page
  std::uint64_t next_ = 0;     ///< of interleaved pages
  std::uint64_t first_touches_ = 0;
  std::array<recent, 256> recent_{};
  std::unordered_map<std::uint64_t, block_id> chunks_;
  std::vector<std::uint16_t> homes_;
};

}}}  // namespace skua::v0::sim
