// SPDX-License-Identifier: MIT
// The messages between ranks: a header of fixed size and, for some kinds, a body.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace skua { inline namespace v0 { namespace ranks {

/// 0 .. ranks - 1. Not a worker: a rank has workers of its own.
using rank_number = std::uint32_t;

enum class kind : std::uint16_t {
  steal_request,  ///< a: the number of tasks for which the thief has room; b: 1: along a lifeline (policy/lifelines.md)
  steal_reply,    ///< a: the number of tasks in the body; 0: there were none
  vote,           ///< up the tree: a subtree is idle (termination.hpp)
  decision,       ///< down the tree: another round, or the end
  drained,        ///< up the tree: a subtree has heard of the end, and waits for no reply
  leave,          ///< down the tree: every rank is drained
  cancel,         ///< all over the tree: a task threw; body: the text of its exception
  contribution,   ///< of a collective operation, up its tree
  result,         ///< of a collective operation, down its tree
  moved,          ///< tasks that a balancer sends to another rank; a: their number
  seeds,          ///< a copy of the sender's tasks, for its keeper (recovery.md); flags: their generation
  lost,   ///< of the leader: the dead ranks; flags: the generation of this recovery; a: that of the last completed one
  taken,  ///< to the leader: tasks that the sender took from dead ranks, and whose seeds it keeps
  again,  ///< of the leader: tasks that live ranks took from dead ones; every rank continues
  dead,  ///< of the leader: ranks that died; a: the step in which every rank throws; b: the last of them; body: all of them, why, and what some ranks may not have heard
  ask,     ///< of a new leader: what do you know? a: the question's number; b: the leader's step; body: the dead ranks
  known,   ///< the answer; a: the question's number
  alive,   ///< between the leader and each other rank, now and then (liveness.hpp)
  broken,  ///< the job cannot continue; body: the reason
  differ,  ///< ranks are in different collective calls (call_order.md); a: 1 if it is final; b: who reports it; body: which
  balancing,  ///< between ranks that balance without a centre (policy/balance/distributed.md); body: what the balancer sends
  fed,        ///< along a lifeline, to a rank that waits for tasks; a: their number, which are in the body
  fed_heard,  ///< they have arrived
};

/// Copied as it is: all ranks run the same binary.
struct message_header {
  ranks::kind kind = ranks::kind::steal_request;
  std::uint16_t flags =
      0;  ///< of process(): its generation, which counts recoveries; of a contribution: call_order.hpp
  std::uint32_t collection = 0;  ///< the receiver; 0: the communicator itself
  std::uint32_t epoch = 0;       ///< the sender's step (call_order.md)
  rank_number sender = 0;
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  std::uint64_t c = 0;
};

struct message {
  message_header head;
  std::span<std::byte const> body;  ///< valid during the call that hands it over
};

}}}  // namespace skua::v0::ranks
