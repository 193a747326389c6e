// SPDX-License-Identifier: MIT
// Puts an array's pages where the workers are that own them [numa-ws-2018 III-A]: bound to the NUMA nodes of the places
// if the kernel allows it, else first touched by threads that are pinned there. The result says which, so that a
// program can tell its user.
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

namespace skua { inline namespace v0 { namespace runtime {

enum class distribution_method : std::uint8_t {
  bound,        ///< new pages come in where they should, whoever touches them, and old ones were moved
  first_touch,  ///< pages that did not exist yet came in where they should
  pointless,    ///< nothing was done: another machine's topology, or fewer than two NUMA nodes
  refused,      ///< it would have helped, but the system allows neither method
};

struct distribution {
  distribution_method how = distribution_method::pointless;
  std::string why = {};  ///< one clause for people
};

/// Per place: the NUMA node of its first worker; no_numa_node if it has none or the topology is not this machine's.
[[nodiscard]] std::vector<numa_id> homes_of(layout const& map);
/// Per place: the number of its workers.
[[nodiscard]] std::vector<std::uint32_t> weights_of(layout const& map);

/// Why this map gains nothing from moving data to its places, as one clause for people; empty if it can gain.
[[nodiscard]] std::string why_distribution_is_pointless(layout const& map);

/// Puts each run of the block at its place. Nobody may write to the pages meanwhile. Throws resource_error if there is
/// no memory to touch. Cost: a system call per run; with first touch, a thread per place and the time to clear the
/// pages.
distribution distribute(page_block const& block, std::span<page_run const> runs, layout const& map,
                        page_kernel const& kernel = running_kernel());

/// Interleaves as the kernel does: page by page over all nodes of the map's workers. If the kernel refuses, page by
/// page over the places, by first touch.
distribution distribute_interleaved(page_block const& block, layout const& map,
                                    page_kernel const& kernel = running_kernel());

/// The elements of each place: contiguous, in proportion to its workers, as the ranges of workers are.
template <class T>
[[nodiscard]] std::vector<share> shares_of(page_array<T> const& array, layout const& map) {
  return contiguous_shares(array.size(), weights_of(map));
}

/// Puts each place's share there. A page that two places share goes to the owner of its first byte.
template <class T>
distribution distribute(page_array<T> const& array, std::span<share const> shares, layout const& map,
                        page_kernel const& kernel = running_kernel()) {
  page_block const& block = array.block();
  std::vector<page_run> const runs = pages_of(shares, sizeof(T), block.bytes().size(), block.page_bytes());
  return distribute(block, {runs.data(), runs.size()}, map, kernel);
}

/// Deals out blocks to the places in turn; block_bytes is rounded up to whole pages (page_block::page_bytes).
template <class T>
distribution distribute_cyclic(page_array<T> const& array, std::size_t block_bytes, layout const& map,
                               page_kernel const& kernel = running_kernel()) {
  page_block const& block = array.block();
  std::vector<page_run> const runs = cyclic_blocks(block.bytes().size(), block_bytes, block.page_bytes(), map.places());
  return distribute(block, {runs.data(), runs.size()}, map, kernel);
}

}}}  // namespace skua::v0::runtime

namespace skua { inline namespace v0 {

using runtime::distribute;
using runtime::distribute_cyclic;
using runtime::distribute_interleaved;
using runtime::distribution;

namespace memory {

using runtime::distribution_method;
using runtime::homes_of;
using runtime::shares_of;
using runtime::weights_of;

}  // namespace memory
}}  // namespace skua::v0
