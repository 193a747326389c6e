// SPDX-License-Identifier: MIT
// Allocations that fail on request, in the whole program.
#pragma once

#include <cstdint>

namespace skua { inline namespace v0 { namespace testing {

/// From now on every so many-th `new` of each thread throws std::bad_alloc; 0: none does. Any thread.
void fail_allocations(std::uint32_t every) noexcept;

}}}  // namespace skua::v0::testing
