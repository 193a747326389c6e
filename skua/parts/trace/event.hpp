// SPDX-License-Identifier: MIT
// What a trace consists of: events of 32 bytes. The same for threads, ranks and the simulator. Format: trace.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace skua::inline v0::trace {

/// What happened, and what the other fields of an event mean then. "Item" is the address of a task, or the number that
/// a simulated one has; "frame" that of a suspended fiber. They tell events of one run apart, and may come again later.
enum class kind : std::uint8_t {
  none,
  // A worker's activity from now on. value: its attempts to steal so far
  working,     ///< runs tasks
  scheduling,  ///< searches, or deals with tasks
  idling,      ///< searches in vain
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
  resumed,  ///< goes on. id: frame
  member_began,  ///< a team's member. detail: type of the task, count: width, other: name, id: address (see flows), value: first worker (simulated), or
                 ///< the member's number (threads)
  member_ended,  ///< value: nanoseconds that the team took, if this is the leader
  called,        ///< a thread from outside works in this worker's place from now on. other: name of its call
  left,          ///< it has left
  region_opened,  ///< count: region, other: name of its policy, value: workers
  region_closed,  ///< count: region
  mark,           ///< the program says so (skua/program/mark.hpp). other: name, value: its number
  message_sent,   ///< between ranks. detail: what it is (ranks), other: rank, id: whose (docs/traces.md), value: bytes
  message_received,  ///< the same
  iteration_began,   ///< of a collection. value: its number, id: tasks here
  iteration_ended,   ///< value: its number, id: tasks that ran here
};
inline constexpr std::size_t kinds = 26;

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
                                                 "iteration_ended"};
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

}  // namespace skua::inline v0::trace
