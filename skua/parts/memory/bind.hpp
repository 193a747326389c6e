// SPDX-License-Identifier: MIT
// Tells the kernel on which NUMA node pages shall lie. For untouched pages that costs a system call per stretch;
// existing pages are moved as far as possible. The kernel may refuse, as in most containers (EPERM). Then nothing has
// changed, and first touch decides (touch.hpp).
#pragma once

#include <cstddef>
#include <span>
#include <system_error>

#include "skua/parts/memory/numa_nodes.hpp"
#include "skua/parts/memory/page_kernel.hpp"
#include "skua/parts/memory/shares.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// Binds all of `pages`, which starts at a page, to one node; other nodes take over once it
/// is full. Returns the kernel's error.
[[nodiscard]] std::error_code bind_pages(std::span<std::byte> pages, numa_id node,
                                         page_kernel const& kernel = running_kernel());

/// Spreads the pages round-robin over the nodes, in the order of their numbers, beginning at any of them. Returns the
/// kernel's error, or invalid_argument if `nodes` is empty or names a node that cannot exist.
[[nodiscard]] std::error_code interleave_pages(std::span<std::byte> pages, std::span<numa_id const> nodes,
                                               page_kernel const& kernel = running_kernel());

/// Binds each run to the node of its place, homes[place]; leaves runs without one (no_numa_node, or a place that is not
/// in `homes`) to first touch. Neighbours on one node cost one system call and one mapping of the process. All or
/// nothing: after an error the whole of `pages` is as unbind_pages leaves it. not_enough_memory: more stretches than
/// vm.max_map_count allows.
[[nodiscard]] std::error_code bind_pages(std::span<std::byte> pages, std::span<page_run const> runs,
                                         std::span<numa_id const> homes, page_kernel const& kernel = running_kernel());

/// Lets first touch place pages from now on. Pages that exist stay where they are.
[[nodiscard]] std::error_code unbind_pages(std::span<std::byte> pages, page_kernel const& kernel = running_kernel());

/// homes[place], or no_numa_node.
[[nodiscard]] numa_id home_of(place_id place, std::span<numa_id const> homes) noexcept;

}}}  // namespace skua::v0::runtime
