// SPDX-License-Identifier: MIT
// A whole machine on a table: it plays a recorded program under any policy, without threads. Workers are numbers,
// time is counted in ticks, lanes are std::deque, and forks, steals, parked joins and scopes mean exactly what they
// mean on threads (simulator.md). Same tree, policy, layout and rules: same game, bit for bit.
// Its times are those of this model, not of any computer: caches and memory are not in it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "skua/machine/sim/costs.hpp"
#include "skua/machine/sim/names.hpp"
#include "skua/parts/base/ids.hpp"
#include "skua/parts/topology/layout.hpp"
#include "skua/program/task_tree.hpp"

namespace skua::sim {

/// The prices of the game, and when the validator stops it.
struct rules {
  std::uint64_t seed = 1;     ///< who moves first when several could at the same tick
  unit in = unit::leaves;     ///< what the nodes of the tree cost ...
  double units_per_tick = 1;  ///< ... and how much of it a worker does per tick (rounded up per node)
  tick fork_ticks = 1;
  tick probe_ticks = 1;               ///< at least 1; also the price of a rest
  std::uint32_t lost_per_mille = 0;   ///< so many steals that would succeed are lost, as if another had been faster
  std::uint64_t most_fruitless = 0;   ///< probes in a row that may fail while there is work, or without a rest;
                                      ///< 0: 1000 + 200 * workers
  bool slot_refusals_allowed = true;  ///< false: to place a task in a slot that is occupied is a fault
  tick spin_ticks = ~tick{0};         ///< so long a worker searches before it sleeps (never)
  std::uint32_t most_searching = 0;   ///< so many may search at a time, others sleep at once; 0: all
  tick ticks_per_ns = 1;              ///< for what policies are told of durations
};

/// What happened to one node. Groups are not run themselves: times = 0.
struct turn {
  std::uint32_t times = 0;  ///< how often it was begun
  worker_id who{};          ///< who began it
  tick begin = 0;
  tick end = 0;  ///< of the leaf, fiber or task itself
  friend constexpr bool operator==(turn const&, turn const&) = default;
};

/// What one worker did.
struct tally {
  std::uint64_t probes = 0;  ///< rests excluded
  std::uint64_t steals = 0;  ///< that brought something
  std::uint64_t lost = 0;
  std::uint64_t barred = 0;  ///< probes of lanes with something in it that was not for this worker
  std::uint64_t rests = 0;
  std::uint64_t parks = 0;  ///< of frames, by this worker
  std::uint64_t resumes = 0;
  std::uint64_t preempted = 0;  ///< stacks, for what lay in the slot
  std::uint64_t sent = 0;       ///< tasks and frames that its mind placed on another worker
  std::uint64_t refused = 0;    ///< placements into slots that were occupied
  std::uint64_t naps = 0;       ///< how often it fell asleep
  tick busy = 0;                ///< with a stack: leaves, fibers, tasks and forks
  tick work = 0;                ///< of that, leaves, fibers and tasks themselves
  tick scheduling = 0;          ///< the rest of it, and all that brought a task or woke somebody
  friend constexpr bool operator==(tally const&, tally const&) = default;
};

struct run_result {
  bool finished = false;
  tick makespan = 0;           ///< from the begin of the root to its end
  std::uint64_t moves = 0;     ///< events of the calendar
  std::vector<turn> turns;     ///< by node
  std::vector<node_id> order;  ///< tasks, leaves and fibers as they were begun
  std::vector<tally> workers;
  std::vector<std::uint64_t> steals_by_distance;  ///< successful ones
  std::vector<std::string> faults;                ///< what the validator saw during the game; empty: a fair game
  friend bool operator==(run_result const&, run_result const&) = default;
};

/// Play `program` under `players` on the workers of `where`. The game ends with the root task, or at the first fault.
/// Throws usage_error for rules that make no sense. Cost: O(nodes + makespan * workers / probe_ticks), times log workers.
run_result run(task_tree const& program, policy& scheduler, layout const& where, rules const& by = {});

/// The same, before somebody's eyes (observer.hpp).
class observer;
run_result run(task_tree const& program, policy& scheduler, layout const& where, rules const& by, observer& watched_by);

/// The same at other prices than those of the rules.
run_result run(task_tree const& program, policy& scheduler, layout const& where, rules const& by, costs& priced_by,
               observer& watched_by);

/// A program that is found out while it is played.
class unfolding;
run_result run(unfolding& program, policy& scheduler, layout const& where, rules const& by, costs& priced_by,
               observer& watched_by);

/// The ticks that node `id` costs itself.
tick ticks_of(task_tree const& program, node_id id, rules const& by) noexcept;

}  // namespace skua::sim
