// SPDX-License-Identifier: MIT
// After a balancer, or instead of one: rank 0 sees where all tasks would start and what they need, and sends them nearer to it within a tolerance of the
// loads. The choice is a pure function (policy/balance/locality.hpp); this file collects what it takes, and distributes what it says.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "skua/machine/ranks/collection/task_record.hpp"
#include "skua/machine/ranks/communicator/collectives.hpp"

namespace skua { inline namespace v0 { namespace ranks {

struct near_orders {
  std::vector<move_order> gives;  ///< tasks that this rank has to send
  std::uint64_t times_heard = 0;  ///< times of other ranks' tasks that it has received
  bool gains = false;             ///< these orders differ from those of the balancer; the same on every rank
};

/// What the record's tasks would do without footprints.
struct start_of_record {
  /// What the balancer would have this rank send; those that are left out stay.
  std::span<move_order const> orders;
  /// Tasks stay where they ran. Then they stay, too, if caches moved less than half of what they needed: tasks of a rank share blocks then, which footprints
  /// do not see, and the ones that leave would take their blocks a second time.
  bool is_retained = false;
  std::uint64_t moved = 0;  ///< bytes of matrices between this rank and others in the last process()
};

/// A part of a call that all ranks have entered. Cost: 88 bytes of each task to rank 0.
[[nodiscard]] near_orders orders_near_owners(collectives& all, rank_number rank, task_record const& record,
                                             start_of_record const& start, double tolerance);

}}}  // namespace skua::v0::ranks
