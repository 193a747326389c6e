// SPDX-License-Identifier: MIT
// The parts of a worker slot that need its worker and its region, which worker_slot.hpp only declares.
#include "skua/machine/threads/worker/worker_slot.hpp"

#include "skua/machine/threads/finish/finish_region.hpp"
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

bool worker_slot::next_unplaced_is_of(finish_region const& one) noexcept {
  if (ordered != nullptr) return ordered->first_is_of(&one);
  entry newest;
  return spawned.peek(newest) && newest.extra == one.key();
}

/// As the policies order them, nearly: what one of them takes first may be of another region, which it begins then.
bool worker_slot::next_is_of(finish_region const& one) noexcept {
  auto const is_of_one = [&one](tagged_entry const& e) { return finish_region::of(*e.item) == &one; };
  if (next_unplaced_is_of(one)) return true;
  if (!spawned.outside().looks_empty()) return false;
  return local.looks_empty() ? migrated.oldest_is(is_of_one) : local.newest_is(is_of_one);
}

void worker_slot::notify_work() noexcept { in.notify_work(); }

void worker_slot::notify_owner() noexcept {
  if (who.of().sleep().notify_worker(who.number(), [this] { in.notify_work(); })) caller::stay_in_place();
}

}  // namespace skua::inline v0::runtime
