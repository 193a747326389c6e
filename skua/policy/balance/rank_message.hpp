// SPDX-License-Identifier: MIT
// What the ranks of a distributed balancer send each other. distributed.md says who sends what when.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "skua/policy/balance/gossip.hpp"
#include "skua/policy/balance/loads.hpp"
#include "skua/policy/balance/machine_totals.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace balance {

enum class rank_message_kind : std::uint8_t {
  up,         ///< of a wave, to the parent: the totals of a subtree
  down,       ///< of a wave, from the parent: the totals of all ranks
  transfer,   ///< tasks for the receiver
  ask,        ///< for an exchange: the sender's load
  ack,        ///< a transfer or an ask has arrived; the load of the rank that has it
  tree_up,    ///< from a child of the balancing tree: its subtree, and the tasks that it passes up
  tree_down,  ///< from the parent: the tasks for this node
  gossip,     ///< what the sender knows, or nothing
  answer,     ///< to an ask; size: 1 if it is accepted
  offer,      ///< of the rank whose ask was accepted: its tasks
  exchanged,  ///< what the offering rank has from now on, and the partner's load
  request,    ///< from the rank that gets these tasks of the receiver
};

struct message_kinds {
  std::uint32_t bits = 0;
};
/// Any of these.
template <class... K>
[[nodiscard]] constexpr message_kinds one_of(K... kinds) noexcept {
  return {((1U << static_cast<unsigned>(kinds)) | ...)};
}

/// A list that does not change. A rank tells several others the same, and simulated ranks share it: null: nothing.
using shared_known_ranks = std::shared_ptr<std::vector<known_rank> const>;

[[nodiscard]] inline std::span<known_rank const> all_of(shared_known_ranks const& known) noexcept {
  return known == nullptr ? std::span<known_rank const>() : std::span<known_rank const>(*known);
}

/// The part of fixed size.
struct rank_message_head {
  std::uint32_t sender = 0;
  rank_message_kind kind = rank_message_kind::up;
  std::uint8_t level = 0;  ///< of the node in the balancing tree
  std::uint16_t unused = 0;
  std::uint32_t step = 0;  ///< counts alike on all ranks
  std::uint32_t size = 0;  ///< of a subtree
  load_ns load = 0;
  machine_totals totals = {};
};
static_assert(std::is_trivially_copyable_v<rank_message_head> && sizeof(rank_message_head) == 56);

struct rank_message {
  rank_message_head head;
  std::vector<donated_task> tasks = {};
  shared_known_ranks known = {};

  /// On a network.
  [[nodiscard]] std::uint64_t bytes() const noexcept {
    return sizeof(rank_message_head) + tasks.size() * sizeof(donated_task) + all_of(known).size() * sizeof(known_rank);
  }
};

}}}}  // namespace skua::v0::policies::balance
