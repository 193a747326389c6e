// SPDX-License-Identifier: MIT
// Hierarchical balancing: overloaded ranks offer their shortest tasks to their parent in a tree. Each node fills its
// underloaded children and passes the rest up; the root spreads what is left down again. No rank sees more than its
// children, and tasks go to near ranks first. balance.md has the messages.
// [retentive-hpdc12 5.2, Algorithm 2, Figure 1]
#pragma once

#include <cstdint>

#include "skua/policy/balance/load_database.hpp"
#include "skua/policy/balance/plan.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace balance {

struct hierarchical_options {
  std::uint32_t arity = 3;
  double donate = 1.003;     ///< C: a rank offers tasks while its load is above C times the average; >= 1
  double fill = 1.003;       ///< D: a node fills its children up to D times the average; > 0
  std::uint32_t sweeps = 3;  ///< long tasks go through the tree first, then shorter ones; 1: as published
  bool fits =
      true;  ///< a node keeps only tasks that lift no child above D times the average; one sweep and false: as published
  load_database::detail loads = load_database::detail::exact;
};

/// Performs the steps of all ranks in one thread. Cost: O(n log n) for n tasks, and O(ranks * sweeps) messages on a
/// real machine.
[[nodiscard]] balance_plan hierarchical(machine_loads const& loads, hierarchical_options const& options);

}}}}  // namespace skua::v0::policies::balance
