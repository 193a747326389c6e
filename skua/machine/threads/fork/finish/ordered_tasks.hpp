// SPDX-License-Identifier: MIT
// What all tasks in the lane `ordered` of a worker share, those of finish regions and those from outside. (finish.md, "Calls from outside")
#pragma once

#include <optional>

#include "skua/machine/threads/lane/fiber_slot.hpp"
#include "skua/machine/threads/lane/task.hpp"

namespace skua { inline namespace v0 { namespace runtime {

class fiber;

/// The worker that represents the place in the root's order: this one if it belongs to the place; none if there is no hint.
[[nodiscard]] std::optional<worker_id> worker_of(fiber_slot const& s, place_id p) noexcept;

/// For the owner, before it takes its first task in `ordered`: brings a more urgent one of another worker there, if a look is due.
void bring_urgent(fiber_slot& s) noexcept;

/// The same: moves the region's tasks from outside that have a strategy there. Returns one of them if there is no memory for its
/// entry, else null. Cost: a load where none waits.
[[nodiscard]] handed* bring_calls(fiber_slot& s) noexcept;

/// For a worker that drops a dead task: drops all that it has swept, which no thief can take. Returns false if that is nothing.
bool drop_swept(fiber& on) noexcept;

}}}  // namespace skua::v0::runtime
