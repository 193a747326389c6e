// SPDX-License-Identifier: MIT
// One rank's part of a balancer that has no centre: hierarchical, along a tree of ranks, and tempered, by gossip. They make the plans of
// `hierarchical` and `tempered`, which do the steps of all ranks in one process. distributed.md has the messages and the invariants.
// [retentive-hpdc12 5.2, lifflander-et-al-21]
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "skua/policy/balance/balancers.hpp"
#include "skua/policy/balance/rank_mail.hpp"
#include "skua/policy/balance/rank_steps.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace balance {

/// What this rank does when the balancer has ended.
struct rank_share {
  std::vector<migration> gives;  ///< tasks of this rank, by receiver and index
  std::uint32_t givers = 0;      ///< how many ranks send it tasks
};

/// What one rank has after the last step: its own tasks and others.
struct rank_tasks {
  std::vector<donated_task> received;  ///< of other ranks
  std::uint64_t left = 0;              ///< how many tasks of this rank are with others now
};

/// True: `balance_on_rank` knows it. The others need one rank that sees all tasks (centralised), or nothing at all (none).
[[nodiscard]] bool has_no_centre(balancer const& b) noexcept;

/// `loads`: of this rank's tasks. Ranks have equal options and seeds. `loads` outlives the steps. Memory: O(own tasks + descriptions that
/// it receives).
rank_steps<rank_share> balance_on_rank(rank_mail& mail, std::span<load_ns const> loads, balancer chosen,
                                       std::uint64_t seed);

rank_steps<rank_tasks> hierarchical_on_rank(rank_mail& mail, std::span<load_ns const> loads,
                                            hierarchical_options options);
rank_steps<rank_tasks> tempered_on_rank(rank_mail& mail, std::span<load_ns const> loads, tempered_options options,
                                        std::uint64_t seed);

}}}}  // namespace skua::v0::policies::balance
