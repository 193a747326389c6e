// SPDX-License-Identifier: MIT
// The parts of a worker slot that need its worker and its region, which worker_slot.hpp only declares.
#include "skua/machine/threads/worker/worker_slot.hpp"

#include "skua/machine/threads/pool/caller.hpp"
#include "skua/machine/threads/pool/pool_core.hpp"
#include "skua/machine/threads/pool/region.hpp"
#include "skua/machine/threads/worker/worker.hpp"

namespace skua::inline v0::runtime {

worker_slot& worker_slot::neighbour(worker_id number) noexcept { return in.slot_of(number); }

[[gnu::cold]] placement worker_slot::place_alone(task_tag& task) noexcept {
  placement to = policy.place(task, cause::refused);
  to.width = 1;
  return to;
}

bool worker_slot::next_is_of(finish_region const& one) noexcept {
  if (ordered != nullptr) return ordered->first_is_of(&one);
  entry newest;
  return spawned.peek(newest) && newest.extra == one.key();
}

void worker_slot::notify_work() noexcept { in.notify_work(); }

void worker_slot::notify_owner() noexcept {
  if (who.of().sleep().notify_worker(who.number(), [this] { in.notify_work(); })) caller::stay_in_place();
}

}  // namespace skua::inline v0::runtime
