// SPDX-License-Identifier: MIT
// The NUMA node of each page of an array, as the kernel reports it, and summaries for users and tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "skua/parts/memory/numa_nodes.hpp"
#include "skua/parts/memory/page_kernel.hpp"
#include "skua/parts/memory/shares.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// What the kernel knows of a page.
enum class page_state : std::uint8_t {
  on_node,
  untouched,  ///< mapped, but not written yet, or swapped out
  unmapped,   ///< not mapped in this process
  unknown,    ///< the kernel gave another answer, or none
};

/// The state of a page, and its NUMA node.
struct page_home {
  page_state state = page_state::unknown;
  numa_id node = no_numa_node;  ///< valid if on_node
  friend bool operator==(page_home const&, page_home const&) = default;
};

/// The result of locate_pages.
struct page_homes {
  std::vector<page_home> pages;  ///< one per small page, from the page of the first byte to the page of the last
  std::error_code refusal = {};  ///< if set, why all are unknown: EPERM and ENOSYS in containers
};

/// Asks the kernel for the node of every page that contains a byte of `bytes`. One or two system calls per 4096 pages;
/// 140 ns per page measured.
[[nodiscard]] page_homes locate_pages(std::span<std::byte const> bytes, page_kernel const& kernel = running_kernel());

/// The number of pages per node and state.
struct page_census {
  struct row {
    numa_id node;
    std::size_t pages;
    friend bool operator==(row const&, row const&) = default;
  };
  std::vector<row> nodes;  ///< nodes that have pages, in ascending order
  std::size_t untouched = 0;
  std::size_t unmapped = 0;
  std::size_t unknown = 0;
};

/// Counts these pages by node and state.
[[nodiscard]] page_census count_pages(std::span<page_home const> pages);

/// Returns, for example, "node 0: 64 pages, node 1: 64 pages, untouched: 3 pages".
[[nodiscard]] std::string to_text(page_census const& census);

/// Returns the fraction of pages, 0 .. 1, that are on the home node of their place. Counts only pages that are on a
/// node and whose place has a home; returns 1 if there are none. `pages`: those of a whole block, as locate_pages
/// returns them; `runs`: the runs of that block.
[[nodiscard]] double part_at_home(std::span<page_home const> pages, std::span<page_run const> runs,
                                  std::span<numa_id const> homes);

}}}  // namespace skua::v0::runtime

namespace skua { inline namespace v0 { namespace memory {

using runtime::count_pages;
using runtime::locate_pages;
using runtime::page_census;
using runtime::page_home;
using runtime::page_homes;
using runtime::part_at_home;

}}}  // namespace skua::v0::memory
