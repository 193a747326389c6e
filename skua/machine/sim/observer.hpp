// SPDX-License-Identifier: MIT
// Whoever wants to see a game as it is played: what policies are told of groups, and what moves between workers. For tests.
#pragma once

#include "skua/machine/sim/lanes.hpp"
#include "skua/machine/sim/simulator.hpp"

namespace skua::sim {

/// Called in the order of the game. Looks, and changes nothing.
class observer {
 public:
  virtual ~observer() = default;

  /// A group (or scope) was shown to the policy of `by`, which wrote this tag for it.
  virtual void met(worker_id /*by*/, node_id /*group*/, task_tag const& /*of_group*/) {}
  /// It has ended, and `by` goes on.
  virtual void left(worker_id /*by*/, node_id /*group*/) {}
  /// `from` puts something into a lane where its tag goes with it.
  virtual void put(tick /*now*/, worker_id /*from*/, placement const& /*to*/, item const& /*what*/, cause /*why*/) {}
  /// Something begins to run, or goes on.
  virtual void began(tick /*now*/, worker_id /*who*/, item const& /*what*/) {}
  virtual void told(worker_id /*who*/, event const& /*what*/) {}
  /// An idle worker has tried something; this is what lies in the lanes now.
  virtual void probed_for(tick /*now*/, worker_id /*who*/, probe const& /*tried*/, outcome /*how*/,
                          lanes const& /*left*/) {}
};

}  // namespace skua::sim
