// SPDX-License-Identifier: MIT
// A trace is a sequence of events of 32 bytes. The same for threads, ranks and the simulator. Format: trace.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace skua { inline namespace v0 { namespace trace {

/// The kind of an event, and the meaning of its other fields. "Item" is the address of a task, or the number that
/// a simulated one has; "frame" that of a suspended fiber. They tell events of one run apart, and may come again later.
enum class kind : std::uint8_t {
  none,
  // A worker's activity from now on. value: its attempts to steal so far
  working,     ///< runs tasks
  scheduling,  ///< searches, or manages tasks
  idling,      ///< searches without success
  sleeping,    ///< is blocked in the kernel

  task_began,  ///< detail: lane, count: region, other: name, id: item
  task_ended,  ///< id: item, or 0 where only the worker tells which. On ranks value: how many short tasks ran since the
               ///< last task_began
  leaf,        ///< a leaf begins, and lasts until the track's next event. id: first address written, value: bytes that
               ///< it writes, other: bytes that it reads (at most 2^32 - 1)
  stolen,      ///< took it from another worker. detail: lane, count: distance, other: victim, id: item
  lost,        ///< another thief, or the owner, took it first. other: victim
  exposed,     ///< opened a group of children whom the policy places. value: children
  sent,     ///< put it into another worker's lane. detail: lane, other: worker, id: item or frame. Written after it is
            ///< there, so the task may have begun before
  parked,   ///< the running task waits, on its own stack. id: frame
  moved,    ///< the running task leaves for another worker. id: frame, other: worker
  resumed,  ///< the task continues. id: frame
  member_began,  ///< a team's member. detail: type of the task, count: width, other: name, id: address (see flows), value: first worker (simulated), or
                 ///< the member's number (threads)
  member_ended,  ///< value: nanoseconds that the team took, if this is the leader
  called,        ///< a thread from outside works in this worker's place from now on. other: name of its call
  left,          ///< that thread has left
  region_opened,  ///< count: region, other: name of its policy, value: workers
  region_closed,  ///< count: region
  mark,           ///< set by the program (skua/program/mark.hpp). other: name, value: its number
  message_sent,   ///< between ranks. detail: what it is (ranks), other: rank, id: whose (docs/traces.md), value: bytes
  message_received,  ///< the same
  iteration_began,   ///< of a collection. value: its number, id: tasks here
  iteration_ended,   ///< value: its number, id: tasks that ran here
  // Flows. A node's id has the number of its flow's run in the upper half, and its number in the flow in the lower half
  flow_began,  ///< a run of a flow. id: that of node 0, value: nodes
  flow_ended,  ///< the same; value: nodes, with those that nodes have added
  node_began,  ///< or a member of its team. detail: type of the task, count: width, other: name, id: node
  node_ended,  ///< the same. id: node, and up to three of the nodes that waited for it: add_successor
  released,    ///< further nodes that waited for it, or those of a team. id: node that has ended, and as in node_ended
  // What the policy `auto` chooses
  scheduler_changed,  ///< another scheduler is in force. detail: 1: on trial, count: region, other: its name, id: position of the
                      ///< name of the call for which it changed, value: nanoseconds lost so far by trials of that call
  call_choice,  ///< at the end of a region: the choice for a call, in words. count: region, other: the words
  // Constructs of OpenMP programs. id: the OpenMP task that is in it (id_of_member); a construct ends with the same detail and id
  construct_began,  ///< detail: construct, count: members of the team, other: place in the code or 0, value: see construct
  construct_ended,  ///< detail: construct
};
inline constexpr std::size_t kinds = 35;

/// What `detail` of construct_began and construct_ended says. From `barrier` on: waits.
enum class construct : std::uint8_t {
  parallel,  ///< a member's code. value: its number, and the level in the upper half
  loop,      ///< work-sharing. value: iterations; at its end: those that this member ran, other: chunks
  sections,  ///< the same
  task,      ///< an explicit one. value: the number of its region
  barrier,
  join,      ///< member 0 waits for the end of the region
  children,  ///< for explicit tasks
  lock,      ///< critical, omp_set_lock
  order,     ///< ordered, doacross
  region,    ///< a thread of the team waits for the next region
};
inline constexpr std::size_t constructs = 10;
[[nodiscard]] constexpr bool is_wait(construct c) noexcept { return c >= construct::barrier; }

/// For exports.
[[nodiscard]] constexpr char const* name_of(construct c) noexcept {
  constexpr std::array<char const*, constructs> names{"parallel", "loop",     "sections", "task",  "barrier",
                                                      "join",     "children", "lock",     "order", "between regions"};
  auto const i = static_cast<std::size_t>(c);
  return i < constructs ? names[i] : "unknown";
}

/// Names a member of a region, or the thread that began a task: `number` counts regions and tasks of the process from 1.
inline constexpr unsigned member_bits = 14;
[[nodiscard]] constexpr std::uint64_t id_of_member(std::uint64_t number, std::uint32_t member) noexcept {
  return number << member_bits | member;
}

/// For exports and messages.
[[nodiscard]] constexpr char const* name_of(kind k) noexcept {
  constexpr std::array<char const*, kinds> names{"none",
                                                 "working",
                                                 "scheduling",
                                                 "idling",
                                                 "sleeping",
                                                 "task_began",
                                                 "task_ended",
                                                 "leaf",
                                                 "stolen",
                                                 "lost",
                                                 "exposed",
                                                 "sent",
                                                 "parked",
                                                 "moved",
                                                 "resumed",
                                                 "member_began",
                                                 "member_ended",
                                                 "called",
                                                 "left",
                                                 "region_opened",
                                                 "region_closed",
                                                 "mark",
                                                 "message_sent",
                                                 "message_received",
                                                 "iteration_began",
                                                 "iteration_ended",
                                                 "flow_began",
                                                 "flow_ended",
                                                 "node_began",
                                                 "node_ended",
                                                 "released",
                                                 "scheduler_changed",
                                                 "call_choice",
                                                 "construct_began",
                                                 "construct_ended"};
  auto const i = static_cast<std::size_t>(k);
  return i < kinds ? names[i] : "unknown";
}

struct event {
  std::uint64_t ticks = 0;
  kind what = kind::none;
  std::uint8_t detail = 0;
  std::uint16_t count = 0;
  std::uint32_t other = 0;
  std::uint64_t id = 0;
  std::uint64_t value = 0;
  friend constexpr bool operator==(event const&, event const&) = default;
};
static_assert(sizeof(event) == 32);

// Edges of flows. An event has room for three, and a node seldom has more: most edges cost no event of their own.

[[nodiscard]] constexpr std::uint64_t id_of_node(std::uint32_t run, std::uint32_t number) noexcept {
  return (std::uint64_t{run} << 32) | number;
}
inline constexpr std::uint16_t most_successors = 3;
/// `count` says how many there are; `other` and the halves of `value` are their numbers in the flow. At most most_successors.
constexpr void add_successor(event& to, std::uint32_t number) noexcept {
  switch (to.count++) {
    case 0: to.other = number; break;
    case 1: to.value = number; break;
    default: to.value |= std::uint64_t{number} << 32;
  }
}
/// Calls f(id) for each of the nodes that waited for the one that has ended.
template <class F>
constexpr void for_each_successor(event const& e, F&& f) {
  if (e.what != kind::node_ended && e.what != kind::released) return;
  std::array<std::uint32_t, most_successors> const numbers{e.other, static_cast<std::uint32_t>(e.value),
                                                           static_cast<std::uint32_t>(e.value >> 32)};
  for (std::size_t i = 0; i < numbers.size() && i < e.count; ++i)
    f(id_of_node(static_cast<std::uint32_t>(e.id >> 32), numbers[i]));
}

}}}  // namespace skua::v0::trace
