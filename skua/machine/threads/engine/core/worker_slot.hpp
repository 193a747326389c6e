// SPDX-License-Identifier: MIT
// A worker slot: what one worker has in one region (lane/fiber_slot.hpp), with that worker and that region.
#pragma once

#include "skua/machine/threads/fork/fiber/fiber_at.hpp"
#include "skua/machine/threads/lane/fiber_slot.hpp"
#include "skua/parts/base/ids.hpp"
#include "skua/parts/base/platform.hpp"

namespace skua { inline namespace v0 { namespace runtime {

class region;
class worker;

class alignas(cache_line_bytes) worker_slot : public fiber_slot {
 public:
  /// Throws std::bad_alloc.
  worker_slot(runtime::worker& w, runtime::region& r, slot_surroundings const& all, std::uint32_t region_workers,
              worker_id number, worker_policy& decides, policies::policy_needs const& its_needs)
      : fiber_slot(all, region_workers, number, decides, its_needs), worker(w), region(r) {}

  runtime::worker& worker;
  runtime::region& region;

  /// The slot of another worker of the region.
  [[nodiscard]] worker_slot& neighbour(worker_id number) noexcept;
  /// Call it when an entry was put here for this slot's worker. Wakes the worker; if it is awake, notifies the
  /// region's sleepers, one of which may steal the entry.
  void notify_owner() noexcept;
};

/// The slot of a fiber, as the engine knows it.
[[nodiscard]] inline worker_slot& slot_of(fiber const& f) noexcept { return static_cast<worker_slot&>(f.slot()); }

}}}  // namespace skua::v0::runtime
