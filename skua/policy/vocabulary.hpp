// SPDX-License-Identifier: MIT
// The words that cross the border between policy and machine: small printable values, no pointers.
#pragma once

#include <cstdint>
#include <variant>

#include "skua/parts/base/ids.hpp"
#include "skua/parts/base/outcome.hpp"

namespace skua {

/// Why a task asks for a place.
enum class cause : std::uint8_t {
  forked,    ///< a child was born on this worker
  stolen,    ///< this worker has just stolen it
  resumed,   ///< a parked frame whose last child has finished on this worker
  released,  ///< its last predecessor has finished
  injected,  ///< it came from outside the pool
  seeded,    ///< start of an iteration of a collection
};

/// The queues of a worker. A policy declares which it uses; `injected` belongs to the region, not to a worker.
enum class lane : std::uint8_t {
  forks,     ///< the growing deque of join's continuations: owner newest first, thief oldest first
  spawned,   ///< the growing deque of free-standing tasks (scope, task_group): same ends
  inbox,     ///< frames and tasks placed on this worker by another; first in, first out
  injected,  ///< tasks from outside the region; first in, first out
};

/// Where a ready task shall go. `width` > 1: a team led by `worker`.
struct placement {
  worker_id worker{};
  lane where = lane::forks;
  std::uint8_t width = 1;
  friend constexpr bool operator==(placement const&, placement const&) = default;
};

enum class verb : std::uint8_t {
  pop,    ///< take from my own lane, from my end
  steal,  ///< take from another worker's lane, from the thieves' end
  rest,   ///< nothing worth trying now; the machine may put the worker to sleep
};

/// What an idle worker shall try next.
struct probe {
  verb what = verb::rest;
  worker_id whom{};
  lane where = lane::forks;
  friend constexpr bool operator==(probe const&, probe const&) = default;
};

/// A probe was carried out.
struct probed {
  probe what;
  outcome how = outcome::empty;
  friend constexpr bool operator==(probed const&, probed const&) = default;
};

/// A task that was taken from a lane has ended (its own share of it; children may still run elsewhere).
struct ended {
  std::uint64_t duration_ns = 0;
  friend constexpr bool operator==(ended const&, ended const&) = default;
};

/// What a machine tells a policy.
using event = std::variant<probed, ended>;

}  // namespace skua
