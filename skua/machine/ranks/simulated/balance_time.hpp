// SPDX-License-Identifier: MIT
// How long a balancer takes on a cluster: its messages and decisions in virtual time. simulated.md has the model.
// [retentive-hpdc12 5, Table 3]
#pragma once

#include <cstdint>
#include <optional>

#include "skua/machine/ranks/simulated/cluster.hpp"
#include "skua/policy/balance/balancers.hpp"

namespace skua { inline namespace v0 { namespace ranks {

/// Seconds of virtual time, from the end of an iteration.
struct balance_time {
  double reduction_s = 0;  ///< until all ranks know the average
  double decided_s = 0;    ///< until the last rank knows which tasks go or come
  double seconds = 0;      ///< until the last task has arrived
  std::uint64_t messages = 0;
  std::uint64_t migrations = 0;  ///< tasks
};

/// Unset for balancers whose messages are not simulated (tempered). Does the balancer's steps in the order of the messages
/// (balance.md), so the tasks move as policies::balance::rebalance says. `task_bytes`: of a task that moves.
/// Cost: that of the balancer, and O(log) per message.
[[nodiscard]] std::optional<balance_time> time_to_balance(cluster const& where,
                                                          policies::balance::machine_loads const& loads,
                                                          policies::balance::balancer const& by,
                                                          std::uint64_t task_bytes = 32);

}}}  // namespace skua::v0::ranks
