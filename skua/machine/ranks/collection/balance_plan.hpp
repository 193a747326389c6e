// SPDX-License-Identifier: MIT
// From the times measured on all ranks to the tasks that each rank sends, by one rank that sees all times: for balancers that need a centre.
// The balancers themselves are pure functions of the loads (policy/balance); this file collects the loads, and distributes the decisions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "skua/machine/ranks/collection/task_record.hpp"
#include "skua/machine/ranks/communicator/collectives.hpp"
#include "skua/policy/balance/balancers.hpp"

namespace skua { inline namespace v0 { namespace ranks {

/// Of balancers that draw: the same on every rank.
inline constexpr std::uint64_t seed_of_balancers = 1;

struct central_orders {
  std::vector<move_order> gives;  ///< tasks that this rank has to send
  std::uint64_t times_heard = 0;  ///< times of other ranks' tasks that it has received
};

/// A part of a call that all ranks have entered. `times_ns`: of the entries of this rank's record. Cost: every rank's times travel to rank 0,
/// which runs the balancer for all.
[[nodiscard]] central_orders orders_of(collectives& all, rank_number rank, std::span<std::uint64_t const> times_ns,
                                       policies::balance::balancer const& chosen);

}}}  // namespace skua::v0::ranks
