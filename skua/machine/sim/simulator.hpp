// SPDX-License-Identifier: MIT
// The simulator: it runs a program under any policy in virtual time, without threads. Workers are numbers, time is
// counted in ticks, lanes are queues, and forks, steals, parked joins and scopes mean exactly what they mean on
// threads (simulator.md). Same tree, policy, layout and rules: same run, bit for bit.
// With flat costs its times are those of this model, not of any computer: it has no caches and no memory.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "skua/machine/sim/costs.hpp"
#include "skua/machine/sim/lanes.hpp"
#include "skua/machine/sim/names.hpp"
#include "skua/parts/base/ids.hpp"
#include "skua/parts/ordered/ordered_store.hpp"
#include "skua/parts/topology/layout.hpp"
#include "skua/program/task_tree.hpp"

namespace skua { inline namespace v0 { namespace sim {

/// When and where one node ran. Groups do not run themselves: times = 0.
struct turn {
  std::uint32_t times = 0;  ///< how often it began
  worker_id worker{};       ///< which worker began it
  tick begin = 0;
  tick end = 0;  ///< of the leaf, step or task itself
  friend constexpr bool operator==(turn const&, turn const&) = default;
};

/// The counters of one worker.
struct worker_counters {
  std::uint64_t probes = 0;  ///< without rests
  std::uint64_t steals = 0;  ///< that succeeded
  std::uint64_t lost = 0;
  std::uint64_t barred = 0;  ///< probes of lanes whose entries the policy did not admit
  std::uint64_t rests = 0;
  std::uint64_t parks = 0;  ///< of stacks, by this worker
  std::uint64_t resumes = 0;
  std::uint64_t preempted = 0;     ///< stacks preempted by the task in the mailbox
  std::uint64_t sent = 0;          ///< tasks and stacks that its policy placed on another worker
  std::uint64_t refused = 0;       ///< placements into occupied mailboxes, and widths that cannot be a team
  std::uint64_t naps = 0;          ///< how often it fell asleep
  std::uint64_t revocations = 0;   ///< deques whose bias this worker, as a thief, revoked
  std::uint64_t heavy_fences = 0;  ///< for a revocation that the owner did not answer
  std::uint64_t interrupts = 0;    ///< by other workers' heavy fences
  std::uint64_t spawns = 0;        ///< tasks of finish regions
  std::uint64_t conversions = 0;   ///< of these, run as calls
  std::uint64_t dead = 0;          ///< of these, dropped because their strategies allow it
  tick busy = 0;                   ///< with a stack: leaves, steps, tasks and forks
  tick work = 0;                   ///< of that, leaves, steps and tasks themselves
  tick scheduling = 0;  ///< the rest of it (interrupts, too), and every move that found a task or woke a worker
  friend constexpr bool operator==(worker_counters const&, worker_counters const&) = default;
};

struct run_result {
  bool finished = false;
  tick makespan = 0;                ///< from the begin of the root to its end
  std::uint64_t moves = 0;          ///< events of the calendar
  std::vector<turn> turns;          ///< by node
  std::vector<tree_node_id> order;  ///< tasks, leaves and steps in the order in which they began
  std::vector<worker_counters> workers;
  std::vector<tree_node_id> teams;    ///< tasks that ran as teams; their children are the members
  std::vector<std::uint64_t> widths;  ///< [w]: moldable tasks that ran on w workers; empty: none did
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> partitions;  ///< the same by leader and width
  std::vector<std::uint64_t> steals_by_distance;                                ///< successful ones
  std::vector<std::string> faults;  ///< the validator's findings during the run; empty: none
  friend bool operator==(run_result const&, run_result const&) = default;
};

class run_trace;

/// Observes a run as it happens: the events that policies learn of groups, and the items that move between workers. For
/// tests. The engine calls it in the order of events; it must change nothing.
class observer {
 public:
  virtual ~observer() = default;

  /// The full trace of the run (docs/traces.md); asked once, as the run begins. Null: no trace.
  [[nodiscard]] virtual run_trace* trace() noexcept { return nullptr; }

  /// `by` exposed a group (or scope) to its policy, which wrote this tag on it.
  virtual void met(worker_id /*by*/, tree_node_id /*group*/, task_tag const& /*of_group*/) {}
  /// The group has ended, and `by` continues its task.
  virtual void left(worker_id /*by*/, tree_node_id /*group*/) {}
  /// `from` puts an item into a lane that keeps its tag.
  virtual void put(tick /*now*/, worker_id /*from*/, placement const& /*to*/, item const& /*what*/, cause /*why*/) {}
  /// An item starts, or continues.
  virtual void began(tick /*now*/, worker_id /*who*/, item const& /*what*/) {}
  virtual void learned(worker_id /*who*/, event const& /*what*/) {}
  /// An idle worker has executed a probe; `left` holds what the lanes contain now.
  virtual void after_probe(tick /*now*/, worker_id /*who*/, probe const& /*tried*/, outcome /*how*/,
                           lanes const& /*left*/) {}
};

/// No next step has been announced yet.
inline constexpr tree_node_id unknown_step = no_tree_node - 1;
/// Not a step: the member of a team is at its barrier.
inline constexpr tree_node_id at_barrier = no_tree_node - 2;

/// The program's request to spawn a task in a finish region.
struct spawn_request {
  runtime::offered_task task{};  ///< its strategy, valid while the task has not begun; `task` itself is unused
  bool may_be_call = false;
  bool is_declared = false;   ///< its spawn declares a strategy
  bool is_unblocked = false;  ///< a node of a flow: its last predecessor, which spawns it, has returned
};

/// A program whose tree grows while it runs: the engine asks it for one step after the other, and tells it which child
/// runs on which stack. live.hpp implements it for C++ programs.
/// Calls on one stack nest as its frames do: calls(task), next() .. next() = no_tree_node. After next() has named a group,
/// scope or finish region, some of its children may be called on this stack, one after the other; the next call of next()
/// for the task itself says that the group has ended. A task that next() has named may be called on this stack at once, if
/// it may be a call.
class stepped_program {
 public:
  virtual ~stepped_program() = default;

  /// The tree so far; grows in `next`.
  [[nodiscard]] virtual task_tree const& tree() const noexcept = 0;

  /// The run begins. Its trace, for the program's marks; null: none.
  virtual void begins(run_trace* /*trace*/, tick /*ticks_per_ns*/) noexcept {}

  /// Orders this stack to begin `task` next.
  virtual void calls(fiber_id stack, tree_node_id task) = 0;
  /// Runs the task or scope body on top until its next step, at the time `now`; no_tree_node: it has ended.
  virtual tree_node_id next(fiber_id stack, worker_id on, tick now) = 0;

  /// True if the task that has ended last on this stack threw or was dropped.
  [[nodiscard]] virtual bool has_failed(fiber_id stack) const = 0;

  /// Asked once, when `next` has named a task that is spawned on this stack.
  virtual spawn_request spawned(fiber_id stack, tree_node_id task) = 0;
  /// A spawned task will not be called: its strategy declared it dead.
  virtual void drops(tree_node_id task) = 0;

  /// True if this spawned task may run as a team.
  [[nodiscard]] virtual bool is_moldable(tree_node_id task) const = 0;
  /// The task runs as a team: adds a member for each worker as the children of `task`, which is not called itself, and
  /// returns the first. A member is a task whose `next` may be at_barrier; its next step is asked for when all members
  /// are there or have ended.
  virtual tree_node_id forms_team(tree_node_id task, std::uint32_t width) = 0;
};

/// Runs `program` under `scheduler` on the workers of `where`. The run ends with the root task, or at the first fault.
/// Throws usage_error for invalid rules. Cost: O(nodes + makespan * workers / probe_ticks), times log workers.
run_result run(task_tree const& program, policy& scheduler, layout const& where, rules const& by = {});

/// The same with an observer.
run_result run(task_tree const& program, policy& scheduler, layout const& where, rules const& by, observer& watcher);

/// The same with a cost model instead of the prices of the rules.
run_result run(task_tree const& program, policy& scheduler, layout const& where, rules const& by, costs& prices,
               observer& watcher);

/// The same for a program whose tree grows while it runs.
run_result run(stepped_program& program, policy& scheduler, layout const& where, rules const& by, costs& prices,
               observer& watcher);

}}}  // namespace skua::v0::sim
