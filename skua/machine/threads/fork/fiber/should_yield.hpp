// SPDX-License-Identifier: MIT
// Between two children that a task runs on top of itself: does something else go first? (turns.hpp)
#pragma once

#include <cstdint>

#include "skua/machine/threads/lane/fiber_slot.hpp"
#include "skua/machine/threads/lane/turns.hpp"

namespace skua { inline namespace v0 { namespace runtime {

inline bool should_yield(fiber_slot const& s, std::uint32_t ran) noexcept { return turns::should_yield(s, ran); }

}}}  // namespace skua::v0::runtime
