// SPDX-License-Identifier: MIT
// Whether a task that runs children on top of itself must yield before the next one. (turns.hpp)
#pragma once

#include <cstdint>

#include "skua/machine/threads/lane/fiber_slot.hpp"
#include "skua/machine/threads/lane/turns.hpp"

namespace skua { inline namespace v0 { namespace runtime {

inline bool should_yield(fiber_slot const& s, std::uint32_t ran) noexcept { return turns::should_yield(s, ran); }

}}}  // namespace skua::v0::runtime
