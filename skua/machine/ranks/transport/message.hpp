// SPDX-License-Identifier: MIT
// What ranks say to each other: a header of fixed size and, for some kinds, a body.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace skua { inline namespace v0 { namespace ranks {

/// 0 .. ranks - 1. Not a worker: a rank has workers of its own.
using rank_number = std::uint32_t;

enum class kind : std::uint16_t {
  steal_request,  ///< a: how many tasks the thief has room for
  steal_reply,    ///< a: how many tasks lie in the body; 0: nothing was to be had
  vote,           ///< up the tree: a subtree is idle (termination.hpp)
  decision,       ///< down the tree: another round, or the end
  drained,        ///< up the tree: a subtree has heard of the end, and waits for no reply
  leave,          ///< down the tree: everybody is drained
  cancel,         ///< all over the tree: a task threw; body: what it said
  contribution,   ///< of a collective operation, up its tree
  result,         ///< of a collective operation, down its tree
  moved,          ///< tasks that a balancer sends to another rank; a: how many
  seeds,          ///< a copy of the sender's tasks, for its keeper (recovery.md); flags: of which generation
  lost,           ///< of rank 0: who is dead; flags: the generation of this recovery; a: of the last that was completed
  taken,          ///< to rank 0: tasks that the sender took from dead ranks, and whose seeds it keeps
  again,          ///< of rank 0: tasks that live ranks took from dead ones; everybody goes on
  alive,          ///< between rank 0 and each other rank, now and then (liveness.hpp)
  broken,         ///< the job cannot go on; body: why
};

/// Copied as it is: all ranks run the same binary.
struct message_header {
  kind what = kind::steal_request;
  std::uint16_t flags = 0;       ///< of process(): its generation, which counts recoveries
  std::uint32_t collection = 0;  ///< whom it is for; 0: the communicator itself
  std::uint32_t epoch = 0;       ///< which process() of the collection, or which collective operation
  rank_number from = 0;
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  std::uint64_t c = 0;
};

struct message {
  message_header head;
  std::span<std::byte const> body;  ///< valid during the call that hands it over
};

}}}  // namespace skua::v0::ranks
