// SPDX-License-Identifier: MIT
// The part of a worker slot that forks and leaves touch. Programs compile this part only; the rest (fiber_slot.hpp) is
// behind compiled functions.
#pragma once

#include <cstdint>

#include "skua/machine/threads/lane/fiber_forks.hpp"
#include "skua/machine/threads/lane/fork_lane.hpp"
#include "skua/machine/threads/lane/leaf_log.hpp"
#include "skua/parts/base/ids.hpp"
#include "skua/parts/context/sanitizer.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// What a fiber must do after a push that asked for attention.
enum class advice : std::uint8_t {
  go_on,   ///< continue: there is room, and sleepers were notified
  full,    ///< no memory for another push: take the entry back, and call the child instead
  expose,  ///< the policy wants to see this group: take the entry back, and run it as an exposed group
  stop,    ///< the running task was asked to end
};

/// The first base of every worker slot. Fibers hold a pointer to it.
class slot_front : public fork_lane<real_sync, fiber_forks> {
 public:
  slot_front(fiber_forks& first, leaf_log& worker_leaves, std::uint32_t region_workers, worker_id number) noexcept
      : fork_lane(first), leaves(worker_leaves), in_workers(region_workers), id(number) {}

  leaf_log& leaves;                ///< shared by all slots of the worker
  std::uint32_t const in_workers;  ///< workers of the region
  worker_id const id;              ///< this worker's number within the region

  // For TSan: a fiber that stops publishes its accesses to data per worker, and a caller that reads `id` acquires them.
  // The address must not be that of an atomic, whose stores would replace what was released there.
  void release_id() noexcept { tsan::release(const_cast<worker_id*>(&id)); }
  void acquire_id() noexcept { tsan::acquire(const_cast<worker_id*>(&id)); }

  /// True if groups must be exposed to the policy. For the owner.
  [[nodiscard]] bool exposes_groups() const noexcept {
    tsan::unseen_accesses const of_the_worker;
    return exposes_groups_;
  }

 protected:
  bool exposes_groups_ = false;
};

}}}  // namespace skua::v0::runtime
