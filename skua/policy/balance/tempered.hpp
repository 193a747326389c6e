// SPDX-License-Identifier: MIT
// Tempered balancing: underloaded ranks announce themselves by gossip, and overloaded ranks give them tasks. This
// repeats several times on descriptions of tasks before any task moves. A transfer may lift its receiver above the
// average, as long as it stays below the giver's load before; so the search leaves the dead ends of stricter rules. The
// best distribution that was seen wins, and the initial one is among them. No rank sees more than it has heard, and
// there is no root.
//
// Beyond the paper: after the transfers, an overloaded rank and one that it has heard of exchange tasks, one for one.
// With few tasks per rank every task left is longer than the gap, and only an exchange can still help.
// [lifflander-et-al-21]
#pragma once

#include <cstdint>

#include "skua/policy/balance/gossip.hpp"
#include "skua/policy/balance/plan.hpp"
#include "skua/policy/balance/transfer.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace balance {

struct tempered_options {
  gossip_options gossip = {};
  std::uint32_t iterations = 8;  ///< gossip and transfers
  std::uint32_t exchanges =
      16;  ///< then gossip and exchanges, at most; ends after three in a row with little gain; 0: as published
  std::uint32_t partners = 2;  ///< how many ranks an overloaded rank asks for an exchange after each gossip
  std::uint32_t trials = 1;    ///< repetitions from the start with other random numbers
  transfer_order order = transfer_order::fewest;
  double goal = 1.003;  ///< the search ends when no load is above goal * max(average, longest task); >= 1
};

/// Performs the steps of all ranks in one thread. The largest load never grows. Same loads, options and seed: same
/// plan.
/// `extra` affects transfers; exchanges know no extra costs, and are skipped if there are any.
[[nodiscard]] balance_plan tempered(machine_loads const& loads, tempered_options const& options, std::uint64_t seed,
                                    extra_cost const& extra = {});

}}}}  // namespace skua::v0::policies::balance
