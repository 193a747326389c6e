// SPDX-License-Identifier: MIT
// Between two children that a task runs on top of itself: does something else go first? (next_step.md, "Ready frames first")
#pragma once

#include <cstdint>

#include "skua/machine/threads/worker/worker.hpp"
#include "skua/machine/threads/worker/worker_slot.hpp"

namespace skua::inline v0::runtime {

inline bool worker::has_ready(worker_slot const& s) const noexcept {
  return has_tied_ready() || s.in.has_ready() || !s.inbox.looks_empty();
}

/// `ran`: so many so far. A frame that is ready goes first, and, at the end of a turn, another region. Cost: three loads.
inline bool should_yield(worker_slot const& s, std::uint32_t ran) noexcept {
  if (!s.who.has_ready(s) && (ran == 0 || ran % tasks_per_turn != 0)) [[likely]]
    return false;
  return s.who.turns_away(s);
}

}  // namespace skua::inline v0::runtime
