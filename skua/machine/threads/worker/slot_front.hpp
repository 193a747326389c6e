// SPDX-License-Identifier: MIT
// The part of a worker slot that forks and leaves touch, and so all of it that programs compile. The rest (worker_slot.hpp)
// is behind compiled functions.
#pragma once

#include <cstdint>

#include "skua/machine/threads/worker/fork_lane.hpp"
#include "skua/machine/threads/worker/leaf_log.hpp"
#include "skua/parts/base/ids.hpp"
#include "skua/parts/context/sanitizer.hpp"

namespace skua::runtime {

/// What a fiber shall do after a push that asked for attention.
enum class advice : std::uint8_t {
  go_on,  ///< room was made, sleepers were woken: as if nothing had happened
  full,   ///< no memory for the next push: take the entry back and call instead of fork
  show,   ///< the policy wants to see this group: take the entry back and run it as a division
  stop,   ///< the running task was asked to end
};

}  // namespace skua::runtime

namespace skua::runtime {

/// The first base of every worker slot: fibers hold a pointer to it.
class slot_front : public runtime::fork_lane<> {
 public:
  /// Throws std::bad_alloc.
  slot_front(deque_options const& with, runtime::leaf_log& its_leaves, std::uint32_t region_workers, worker_id number)
      : fork_lane(with), leaves(its_leaves), in_workers(region_workers), id(number) {}

  runtime::leaf_log& leaves;       ///< of the worker
  std::uint32_t const in_workers;  ///< of the region
  worker_id const id;              ///< the number of this worker in the region

  /// Groups are shown to the policy now. For the owner.
  [[nodiscard]] bool exposes_groups() const noexcept {
    tsan::unseen const of_the_worker;
    return exposes_groups_;
  }

 protected:
  bool exposes_groups_ = false;
};

}  // namespace skua::runtime
