// SPDX-License-Identifier: MIT
// Tells the kernel on which NUMA node to put pages. For untouched pages this costs one system call per contiguous
// stretch; the kernel moves existing pages as far as possible. It may refuse, as in most containers (EPERM); then
// nothing has changed, and first touch places the pages (touch.hpp).
#pragma once

#include <cstddef>
#include <span>
#include <system_error>

#include "skua/parts/memory/numa_nodes.hpp"
#include "skua/parts/memory/page_kernel.hpp"
#include "skua/parts/memory/shares.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// Binds all of `pages`, which must start at a page boundary, to one node. The kernel uses other nodes when it is full.
/// Returns the kernel's error.
[[nodiscard]] std::error_code bind_pages(std::span<std::byte> pages, numa_id node,
                                         page_kernel const& kernel = running_kernel());

/// Interleaves the pages over the nodes, in the order of their numbers, starting at an unspecified node. Returns the
/// kernel's error, or invalid_argument if `nodes` is empty or contains a node that cannot exist.
[[nodiscard]] std::error_code interleave_pages(std::span<std::byte> pages, std::span<numa_id const> nodes,
                                               page_kernel const& kernel = running_kernel());

/// Binds each run to the node of its place, homes[place]. Runs whose place has no node (no_numa_node, or not in
/// `homes`) remain for first touch. Neighbouring runs on one node cost one system call and one mapping of the process
/// together. After an error all of `pages` is unbound, as by unbind_pages. not_enough_memory: more stretches than
/// vm.max_map_count allows.
[[nodiscard]] std::error_code bind_pages(std::span<std::byte> pages, std::span<page_run const> runs,
                                         std::span<numa_id const> homes, page_kernel const& kernel = running_kernel());

/// Lets first touch place pages from now on. Pages that exist stay where they are.
[[nodiscard]] std::error_code unbind_pages(std::span<std::byte> pages, page_kernel const& kernel = running_kernel());

/// Returns homes[place], or no_numa_node if `homes` has no such place.
[[nodiscard]] numa_id home_of(place_id place, std::span<numa_id const> homes) noexcept;

}}}  // namespace skua::v0::runtime
