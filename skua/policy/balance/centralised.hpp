// SPDX-License-Identifier: MIT
// Centralised balancing: overloaded ranks offer their shortest tasks, and one rank assigns all of them, longest first,
// to the least loaded ranks. It balances best, but every task passes through one rank.
// [retentive-hpdc12 5.1, Algorithm 1]
#pragma once

#include "skua/policy/balance/load_database.hpp"
#include "skua/policy/balance/plan.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace balance {

struct centralised_options {
  double donate = 1.003;  ///< C: a rank offers tasks while its load is above C times the average; >= 1
  load_database::detail loads = load_database::detail::exact;
};

/// Performs the steps of all ranks in one thread. No rank ends above max(C * average, longest task + average), up to
/// the rounding of a binned database. Cost: O(n log n) for n tasks.
[[nodiscard]] balance_plan centralised(machine_loads const& loads, centralised_options const& options);

}}}}  // namespace skua::v0::policies::balance
