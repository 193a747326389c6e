// SPDX-License-Identifier: MIT
// A worker slot: what one worker has in one region (lane/fiber_slot.hpp), and which worker and region that are.
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
  worker_slot(worker& w, region& r, slot_surroundings const& all, std::uint32_t region_workers, worker_id number,
              worker_policy& decides, policies::policy_needs const& its_needs)
      : fiber_slot(all, region_workers, number, decides, its_needs), who(w), in(r) {}

  worker& who;
  region& in;

  /// The slot of another worker of the region.
  [[nodiscard]] worker_slot& neighbour(worker_id number) noexcept;
  /// An entry was put here for this slot's worker. Wakes it; if it is awake, another worker may come and steal the
  /// entry.
  void notify_owner() noexcept;
};

/// Where a fiber runs, as the engine knows it.
[[nodiscard]] inline worker_slot& slot_of(fiber const& f) noexcept { return static_cast<worker_slot&>(f.at()); }

}}}  // namespace skua::v0::runtime
