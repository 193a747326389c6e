// SPDX-License-Identifier: MIT
// The balancers without a centre on real ranks: carries the messages of policy/balance/on_rank.hpp. No rank sees the times of all tasks.
// policy/balance/distributed.md has the messages and the invariants. [retentive-hpdc12 5.2]
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "skua/machine/ranks/collection/task_record.hpp"
#include "skua/machine/ranks/communicator/collectives.hpp"
#include "skua/policy/balance/balancers.hpp"

namespace skua { inline namespace v0 { namespace ranks {

/// What this rank does with its record, and what it has heard meanwhile.
struct balanced_share {
  std::vector<move_order> gives;
  std::uint64_t givers = 0;       ///< how many ranks send it tasks
  std::uint64_t messages = 0;     ///< that it has received
  std::uint64_t times_heard = 0;  ///< times of other ranks' tasks that it has received
};

/// A part of a call that all ranks have entered. `chosen`: the same on every rank, without a centre. `times_ns`: of the entries of this rank's
/// record. Waits; throws what a collective call throws if a rank dies.
[[nodiscard]] balanced_share balance_by_messages(collectives& all, rank_number rank,
                                                 std::span<std::uint64_t const> times_ns,
                                                 policies::balance::balancer const& chosen);

}}}  // namespace skua::v0::ranks
