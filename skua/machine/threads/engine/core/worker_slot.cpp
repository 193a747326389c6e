// SPDX-License-Identifier: MIT
// The parts of a slot that need its worker and its region.
#include "skua/machine/threads/engine/core/worker_slot.hpp"

#include "skua/machine/threads/engine/core/pool_core.hpp"
#include "skua/machine/threads/engine/core/region.hpp"
#include "skua/machine/threads/engine/core/worker.hpp"

namespace skua { inline namespace v0 { namespace runtime {

worker_slot& worker_slot::neighbour(worker_id number) noexcept { return region.slot_of(number); }

void worker_slot::notify_owner() noexcept {
  if (worker.pool().sleep().notify_worker(worker.number(), [this] { region.notify_work(); }))
    runtime::worker::stay_in_place();
}

}}}  // namespace skua::v0::runtime
