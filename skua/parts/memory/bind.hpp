// SPDX-License-Identifier: MIT
// Telling the kernel on which NUMA node pages shall lie. Before they are touched it costs a system call per stretch; pages
// that are there already are moved, as far as they can be. The kernel may refuse: containers mostly do (EPERM). Then
// nothing has changed, and first touch decides (touch.hpp).
#pragma once

#include <cstddef>
#include <span>
#include <system_error>

#include "skua/parts/memory/numa_nodes.hpp"
#include "skua/parts/memory/page_kernel.hpp"
#include "skua/parts/memory/shares.hpp"

namespace skua::runtime {

/// All of it on one node; on others once that one is full. `pages` starts at a page. The error is the kernel's.
[[nodiscard]] std::error_code bind_pages(std::span<std::byte> pages, numa_id node,
                                         page_kernel const& kernel = running_kernel());

/// Page by page round the nodes, in the order of their numbers, from any of them on. The error is the kernel's, or
/// invalid_argument for no node.
[[nodiscard]] std::error_code interleave_pages(std::span<std::byte> pages, std::span<numa_id const> nodes,
                                               page_kernel const& kernel = running_kernel());

/// Each run on the node of its place, homes[place]; runs without one (no_numa_node, or a place that is not in `homes`) are
/// left to first touch. Neighbours on one node are one system call and one mapping of the process. All or nothing: after
/// an error the whole of `pages` is as unbind_pages leaves it. not_enough_memory: more stretches than vm.max_map_count allows.
[[nodiscard]] std::error_code bind_pages(std::span<std::byte> pages, std::span<page_run const> runs,
                                         std::span<numa_id const> homes, page_kernel const& kernel = running_kernel());

/// Pages that come from now on lie where they are touched first. Those that are there stay.
[[nodiscard]] std::error_code unbind_pages(std::span<std::byte> pages, page_kernel const& kernel = running_kernel());

/// homes[place], or no_numa_node.
[[nodiscard]] numa_id home_of(place_id place, std::span<numa_id const> homes) noexcept;

}  // namespace skua::runtime
