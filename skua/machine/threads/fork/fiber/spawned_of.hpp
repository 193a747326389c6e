// SPDX-License-Identifier: MIT
// Where the running fiber offers free-standing tasks. Programs compile pushes to it, and nothing else of the slot behind its front.
#pragma once

#include "skua/machine/threads/fork/fiber/fiber.hpp"
#include "skua/machine/threads/lane/lanes.hpp"

namespace skua { inline namespace v0 { namespace runtime {

[[nodiscard]] inline spawned_lane<>& spawned_of(fiber const& f) noexcept {
  return static_cast<lanes<real_sync, slot_front>&>(f.front()).spawned;  // the base of every slot
}

}}}  // namespace skua::v0::runtime
