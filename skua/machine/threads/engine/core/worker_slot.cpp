// SPDX-License-Identifier: MIT
// The parts of a slot that need its worker and its region.
#include "skua/machine/threads/engine/core/worker_slot.hpp"

#include "skua/machine/threads/engine/core/pool_core.hpp"
#include "skua/machine/threads/engine/core/region.hpp"
#include "skua/machine/threads/engine/core/worker.hpp"

namespace skua { inline namespace v0 { namespace runtime {

worker_slot& worker_slot::neighbour(worker_id number) noexcept { return in.slot_of(number); }

void worker_slot::notify_owner() noexcept {
  if (who.of().sleep().notify_worker(who.number(), [this] { in.notify_work(); })) worker::stay_in_place();
}

}}}  // namespace skua::v0::runtime
