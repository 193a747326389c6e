// SPDX-License-Identifier: MIT
// How long a balancer takes on a cluster: its messages and decisions in virtual time. simulated.md has the model.
// [retentive-hpdc12 5, Table 3]
#pragma once

#include <cstdint>
#include <functional>

#include "skua/machine/ranks/simulated/cluster.hpp"
#include "skua/policy/balance/balancers.hpp"

namespace skua { inline namespace v0 { namespace ranks {

/// Seconds of virtual time, from the end of an iteration.
struct balance_time {
  double reduction_s = 0;           ///< of centralised: until all ranks know the average
  double decided_s = 0;             ///< until the last rank knows which tasks go or come
  double seconds = 0;               ///< until the last task has arrived
  std::uint64_t messages = 0;       ///< of all ranks, those with tasks that move included
  std::uint64_t migrations = 0;     ///< tasks
  std::uint64_t most_messages = 0;  ///< that one rank received to decide
  std::uint64_t most_times = 0;     ///< times of other ranks' tasks that one rank received
};

/// Does the balancer's steps in the order of the messages, as real ranks do, so the tasks move as policies::balance::rebalance says with
/// this seed. `task_bytes`: of a task that moves. `interruption_point`: called now and then, may throw.
/// Cost: that of the balancer, and O(log) per message. Tempered sends some 300 messages per rank, 3 us each.
[[nodiscard]] balance_time time_to_balance(
    cluster const& where, policies::balance::machine_loads const& loads, policies::balance::balancer const& by,
    std::uint64_t seed = 1, std::uint64_t task_bytes = 32, std::function<void()> const& interruption_point = [] {});

}}}  // namespace skua::v0::ranks
