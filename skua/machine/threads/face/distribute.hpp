// SPDX-License-Identifier: MIT
// Places an array's pages near the workers that own them [numa-ws-2018 III-A]. Binds the pages to the NUMA nodes of the
// places if the kernel allows it; otherwise threads pinned to the places touch them first. The result says which method
// worked, so that a program can tell its user.
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

/// How `distribute` placed the pages.
enum class distribution_method : std::uint8_t {
  bound,        ///< bound new pages to their nodes, whichever thread touches them, and moved existing pages
  first_touch,  ///< touched the new pages on their nodes; existing pages stay where they were
  pointless,    ///< did nothing: the topology is another machine's, or has fewer than two NUMA nodes
  refused,      ///< did nothing: the system allows neither method
};

/// The result of `distribute`: the method that placed the pages, and the reason.
struct distribution {
  distribution_method how = distribution_method::pointless;
  std::string why = {};  ///< the reason, one clause for the user
};

/// Returns, per place, the NUMA node of its first worker; no_numa_node if it has none or the topology is not this
/// machine's.
[[nodiscard]] std::vector<numa_id> homes_of(layout const& map);
/// Returns, per place, the number of its workers.
[[nodiscard]] std::vector<std::uint32_t> weights_of(layout const& map);

/// Returns why moving data to the places of this layout gains nothing, as one clause for the user; empty if it can
/// gain.
[[nodiscard]] std::string why_distribution_is_pointless(layout const& map);

/// Places each run of pages at its place. No thread may write to the pages meanwhile. Throws resource_error if there is
/// no memory for touched pages. Cost: a system call per run; with first touch, a thread per place and the time to clear
/// the pages.
distribution distribute(page_block const& block, std::span<page_run const> runs, layout const& map,
                        page_kernel const& kernel = running_kernel());

/// Interleaves the pages over all NUMA nodes of the layout's workers, as the kernel does. If the kernel refuses,
/// interleaves them over the places by first touch. Errors and cost as above.
distribution distribute_interleaved(page_block const& block, layout const& map,
                                    page_kernel const& kernel = running_kernel());

/// Returns the elements of each place: a contiguous share, in proportion to the place's workers.
template <class T>
[[nodiscard]] std::vector<share> shares_of(page_array<T> const& array, layout const& map) {
  return contiguous_shares(array.size(), weights_of(map));
}

/// Places each share at its place. A page that two shares have in common goes to the owner of its first byte. Errors
/// and cost as above.
template <class T>
distribution distribute(page_array<T> const& array, std::span<share const> shares, layout const& map,
                        page_kernel const& kernel = running_kernel()) {
  page_block const& block = array.block();
  std::vector<page_run> const runs = pages_of(shares, sizeof(T), block.bytes().size(), block.page_bytes());
  return distribute(block, {runs.data(), runs.size()}, map, kernel);
}

/// Distributes blocks of block_bytes to the places round-robin. block_bytes is rounded up to whole pages
/// (page_block::page_bytes). Errors and cost as above.
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
