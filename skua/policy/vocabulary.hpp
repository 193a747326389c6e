// SPDX-License-Identifier: MIT
// The words that cross the border between policy and machine: small printable values, no pointers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "skua/parts/base/ids.hpp"
#include "skua/parts/base/outcome.hpp"

namespace skua { inline namespace v0 { namespace policies {

/// What a policy writes on a task. The machine copies it with the task and reads two words: `words[0]` of a running task,
/// which a thief sees before it steals from it (`admits`), and `node[0]` of an entry in `next` or `nodes` (`admits_node`).
struct task_tag {
  std::uint64_t words[4] = {};  ///< of the answer for forks
  std::uint64_t node[2] = {};   ///< of the answer for nodes; a task with a first word here is timed as one
  friend constexpr bool operator==(task_tag const&, task_tag const&) = default;
};

/// Why a task asks for a place.
enum class cause : std::uint8_t {
  forked,     ///< a child was born on this worker
  stolen,     ///< this worker has just stolen it
  resumed,    ///< its frame may go on: the group that it waited for has ended
  released,   ///< it may run: a running task has spawned it in a finish region, and runs on
  unblocked,  ///< it may run: the node that runs here was its last predecessor, has returned, and ends next
  preempted,  ///< this worker turns to another task: the preempted fiber, or what it offered, goes to a lane
  refused,    ///< the last answer is impossible: the mailbox is full, or the machine has no teams of that width
  injected,   ///< it came from outside the pool
  called,     ///< an outside thread runs it itself, in this worker's place; the answer must be this worker
  seeded,     ///< start of an iteration of a collection
  chosen,     ///< its own worker popped it from `spawned` or a lane with tags; only if needs() asks for it
  next,  ///< the node that ran here has ended, and this one, which `unblocked` put into `local`, never was in the lane
  bypassed,  ///< it was released into `local` or `next`, for this worker alone, which now begins something else
};

/// The queues of a worker. A policy declares which it uses; `injected` belongs to the region, not to a worker.
enum class lane : std::uint8_t {
  forks,     ///< the growing deque of join's continuations: owner newest first, thief oldest first
  spawned,   ///< the growing deque of free-standing tasks (scope, task_group): same ends
  inbox,     ///< frames and tasks placed on this worker by another; first in, first out
  injected,  ///< tasks from outside the region; first in, first out
  mailbox,   ///< room for one task or frame placed on this worker by another
  local,     ///< continuations with a tag of their own: owner newest first; thief the oldest that it is admitted to
  migrated,  ///< tasks placed on this worker: owner oldest first; thief the newest that it is admitted to
  ordered,   ///< tasks of finish regions: owner and thieves each in the order of the tasks' strategies
  next,      ///< nodes of flows that this worker runs next: same ends as `local`
  nodes,     ///< nodes of flows placed on this worker: same ends as `migrated`
};
inline constexpr std::size_t lane_kinds = 10;
[[nodiscard]] constexpr bool is_of_nodes(lane l) noexcept { return l == lane::next || l == lane::nodes; }
/// For messages.
[[nodiscard]] constexpr char const* name_of(lane l) noexcept {
  constexpr char const* names[lane_kinds] = {"forks", "spawned",  "inbox",   "injected", "mailbox",
                                             "local", "migrated", "ordered", "next",     "nodes"};
  return names[static_cast<std::size_t>(l)];
}

/// Where a ready task goes. `width` > 1: to a team of the workers `worker`, `worker` + 1, .., each of which finds a
/// member in its `inbox`. If there can be no team, the machine asks again (refused), and the task runs alone.
struct placement {
  worker_id worker{};
  policies::lane lane = policies::lane::forks;
  std::uint16_t width = 1;
  friend constexpr bool operator==(placement const&, placement const&) = default;
};

enum class action : std::uint8_t {
  pop,    ///< take from the own lane, at the owner's end
  steal,  ///< take from another worker's lane, at the thieves' end
  rest,   ///< nothing is worth trying now; the machine may put the worker to sleep
};

/// How many tasks a probe asks for. A machine may always take one only.
enum class amount : std::uint8_t {
  one,
  half,       ///< at most half of the tasks: the thief runs one, the others go to its `spawned`
  half_work,  ///< of `ordered`: half of the weight; the thief runs one, the others go to its `ordered`
};

/// What an idle worker tries next. Eight bytes, so that it is returned in one register.
struct probe {
  action kind = action::rest;
  policies::lane lane = policies::lane::forks;
  policies::amount amount = policies::amount::one;
  worker_id victim{};  ///< of a pop: the worker itself
  friend constexpr bool operator==(probe const&, probe const&) = default;
};

/// The machine has executed a probe.
struct probed {
  policies::probe probe;
  runtime::outcome outcome = runtime::outcome::empty;
  friend constexpr bool operator==(probed const&, probed const&) = default;
};

/// A task or a frame starts to run on this worker. `open`: one of its groups is still open (the frame waited for it).
struct begun {
  task_tag task{};
  bool open = false;
  friend constexpr bool operator==(begun const&, begun const&) = default;
};

/// The child of an exposed group that its parent's worker kept, and called, has returned.
struct returned {
  task_tag child{};
  friend constexpr bool operator==(returned const&, returned const&) = default;
};

/// The running task must wait; its worker turns to something else.
struct waiting {
  friend constexpr bool operator==(waiting const&, waiting const&) = default;
};

/// The duration of a task whose end was told without a reading of the clock: the next tasks with its tag, until one has a duration,
/// took about as long, and that one tells the mean of all.
inline constexpr std::uint64_t unmeasured_ns = ~std::uint64_t{0};

/// A task that was taken from a lane is about to end (its own share of it; children may still run elsewhere).
struct ended {
  task_tag task{};
  std::uint64_t duration_ns = 0;  ///< or unmeasured_ns
  bool failed = false;            ///< it threw or was dropped, so its time says nothing of its kind
  friend constexpr bool operator==(ended const&, ended const&) = default;
};

/// One part of the running task is over, and the next one, with a time of its own, begins: nodes of a flow that a
/// worker runs one after the other as one task. Only for a policy that needs times; the last part ends with the task.
struct part_ended {
  task_tag task{};
  std::uint64_t duration_ns = 0;
  bool failed = false;  ///< as in ended
  friend constexpr bool operator==(part_ended const&, part_ended const&) = default;
};

/// The last member of a team is about to end, on this worker: the task of all members is done. Only for a policy that
/// needs times.
struct team_ended {
  task_tag task{};
  std::uint64_t duration_ns = 0;  ///< from the placement on: queues, waits and preemptions of all members included
  friend constexpr bool operator==(team_ended const&, team_ended const&) = default;
};

/// A task that declares a strategy has entered this worker's `ordered` lane. Only for a policy that needs it (needs.hpp).
struct ordered_here {
  friend constexpr bool operator==(ordered_here const&, ordered_here const&) = default;
};

/// The running task is about to offer a task of a task_group in `spawned`: no child of a group that the policy meets, and the running task may go on
/// for long before it waits. Only while `sees_forks`.
struct spawning {
  friend constexpr bool operator==(spawning const&, spawning const&) = default;
};

/// Another part of the same scheduler has found a task for this worker: its search is over, and the next one starts with the
/// own lanes. No machine tells it; a policy that is made of others does (combined.hpp).
struct found_beside {
  friend constexpr bool operator==(found_beside const&, found_beside const&) = default;
};

/// The worker has rested, and will search again. Only for a policy that needs it (needs.hpp).
struct rested {
  /// Pages of memory were touched for the first time within the last period: a worker that touches a page first now
  /// decides on which node it lies.
  bool first_touches = false;
  friend constexpr bool operator==(rested const&, rested const&) = default;
};
/// The period: a machine with threads asks the kernel once per period, which costs some 0.1 us per thread.
[[nodiscard]] constexpr std::uint64_t first_touches_period_ns(std::uint32_t workers) noexcept {
  return 20'000 + std::uint64_t{500} * workers;
}

}}}  // namespace skua::v0::policies
