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

/// A part of a call that all ranks have entered. `orders`: what the balancer would have this rank send; those that are left out stay. Cost: 88 bytes of each
/// task to rank 0.
[[nodiscard]] near_orders orders_near_owners(collectives& all, rank_number rank, task_record const& record,
                                             std::span<move_order const> orders, double tolerance);

}}}  // namespace skua::v0::ranks
