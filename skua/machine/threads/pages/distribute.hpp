// SPDX-License-Identifier: MIT
// An array's pages go where the workers are that own them [numa-ws-2018 III-A]: bound to the NUMA nodes of the places
// if the kernel lets us, else touched first by threads that are pinned there for the purpose. The answer says which of
// the two it was, so that a program can tell its user once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "skua/parts/memory/page_array.hpp"
#include "skua/parts/memory/page_block.hpp"
#include "skua/parts/memory/shares.hpp"
#include "skua/parts/topology/layout.hpp"

namespace skua::runtime {

enum class distribution_method : std::uint8_t {
  bound,        ///< pages that come in lie where they should, whoever touches them; those that were there were moved
  first_touch,  ///< pages that were not there yet have come in where they should
  pointless,    ///< nothing was done: another machine's topology, or not two NUMA nodes
  refused,      ///< it would have helped, and the system allows neither of the two
};

struct distribution {
  distribution_method how = distribution_method::pointless;
  std::string why = {};  ///< one clause for people
};

/// Per place: the NUMA node of its first worker; no_numa_node if it has none or the topology is not this machine's.
[[nodiscard]] std::vector<numa_id> homes_of(layout const& map);
/// Per place: its workers.
[[nodiscard]] std::vector<std::uint32_t> weights_of(layout const& map);

/// Why nothing can be gained by bringing data to the places of this map, one clause for people; empty: something can.
[[nodiscard]] std::string why_distribution_is_pointless(layout const& map);

/// Each run of the block goes to its place. Nobody may write to the pages meanwhile. Throws resource_error if there is
/// no memory to touch. Cost: a system call per run; with first touch, a thread per place and the time to clear the pages.
distribution distribute(page_block const& block, std::span<page_run const> runs, layout const& map,
                        page_kernel const& kernel = running_kernel());

/// As the kernel interleaves: page by page round all nodes that the map's workers are on. Where the kernel refuses, page
/// by page round its places, by first touch.
distribution distribute_interleaved(page_block const& block, layout const& map,
                                    page_kernel const& kernel = running_kernel());

/// The elements of each place: contiguous, in proportion to its workers, as the ranges of workers are.
template <class T>
[[nodiscard]] std::vector<share> shares_of(page_array<T> const& array, layout const& map) {
  return contiguous_shares(array.size(), weights_of(map));
}

/// Each place's share goes to it; a page that two share, to the owner of its first byte.
template <class T>
distribution distribute(page_array<T> const& array, std::span<share const> shares, layout const& map,
                        page_kernel const& kernel = running_kernel()) {
  page_block const& block = array.block();
  return distribute(block, pages_of(shares, sizeof(T), block.bytes().size(), block.page_bytes()), map, kernel);
}

/// Blocks are dealt out to the places in turn; block_bytes is rounded up to whole pages (page_block::page_bytes).
template <class T>
distribution distribute_cyclic(page_array<T> const& array, std::size_t block_bytes, layout const& map,
                               page_kernel const& kernel = running_kernel()) {
  page_block const& block = array.block();
  return distribute(block, cyclic_blocks(block.bytes().size(), block_bytes, block.page_bytes(), map.places()), map,
                    kernel);
}

}  // namespace skua::runtime

namespace skua {

using runtime::distribute;
using runtime::distribute_cyclic;
using runtime::distribute_interleaved;
using runtime::distribution;
using runtime::distribution_method;
using runtime::homes_of;
using runtime::shares_of;
using runtime::weights_of;
using runtime::why_distribution_is_pointless;

}  // namespace skua
