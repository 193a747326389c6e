// SPDX-License-Identifier: MIT
// How many processors some threads can use at once.
#pragma once

#include <cstdint>
#include <span>

#include "skua/parts/topology/cgroup.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// The processors in the affinity masks of these threads together (the kernel's numbers; it stops at `enough`), but no
/// more than the quota allows. 0: the kernel does not say. Throws std::bad_alloc. A system call per thread.
[[nodiscard]] std::uint32_t usable_processors(std::span<int const> threads, std::uint32_t enough,
                                              cpu_quota const& quota);

}}}  // namespace skua::v0::runtime
