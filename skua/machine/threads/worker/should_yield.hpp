// SPDX-License-Identifier: MIT
// Between two children that a task runs on top of itself: does something else go first? (turns.hpp)
#pragma once

#include <cstdint>

#include "skua/machine/threads/worker/turns.hpp"
#include "skua/machine/threads/worker/worker.hpp"
#include "skua/machine/threads/worker/worker_slot.hpp"

namespace skua::inline v0::runtime {

inline bool worker::has_ready(worker_slot const& s) const noexcept { return turns::has_ready(*this, s); }

inline bool should_yield(worker_slot const& s, std::uint32_t ran) noexcept { return turns::should_yield(s, ran); }

}  // namespace skua::inline v0::runtime
