// SPDX-License-Identifier: MIT
// What things take on the machine that is played: the engine asks, a cost model answers. The simulator's answers are
// constants; memory/ has caches, memory and prices taken from real machines.
#pragma once

#include <cstdint>

#include "skua/parts/base/ids.hpp"
#include "skua/program/task_tree.hpp"

namespace skua::sim {

/// Virtual time. On the simulator whatever its rules mean; on a machine model picoseconds.
using tick = std::uint64_t;

/// What a scheduler does besides the program's own work.
enum class operation : std::uint8_t {
  fork,     ///< offer a child, or the rest of a group, and later find it still there
  expose,   ///< mark and place one child of a group that is shown to the policy
  pop,      ///< take something from an own lane, or the region's
  steal,    ///< take something from `whom`
  miss,     ///< look into a lane of `whom` in vain
  send,     ///< put a task or fiber into a lane of `whom`
  park,     ///< leave a fiber that waits
  resume,   ///< go on with a fiber
  rest,     ///< out of things to try: the pause before the next look
  notify,   ///< what it costs to wake `whom`, who sleeps
  wake_up,  ///< ... and how long `whom` takes to come
};

class costs {
 public:
  virtual ~costs() = default;

  /// The leaf, fiber or task `id` begins on `w` at `now`: the ticks of what it does itself. Asked in the order of time,
  /// once for every node that is begun: what depends on who ran what before is remembered here.
  virtual tick run(tick now, worker_id w, task_tree const& program, node_id id) = 0;

  /// Something else that `w` does, at `now`, to or for `whom` (often itself).
  virtual tick price(tick now, operation what, worker_id w, worker_id whom) = 0;
};

}  // namespace skua::sim
