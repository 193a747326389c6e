// SPDX-License-Identifier: MIT
// The answer of a balancer that performs the steps of all ranks: which rank sends which task where, and how good that
// is.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "skua/policy/balance/loads.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace balance {

/// How well the loads are balanced before and after, and what it costs to get there.
struct balance_report {
  std::uint32_t ranks = 0;
  std::uint64_t tasks = 0;
  double average = 0;        ///< load per rank: the ideal
  load_ns longest_task = 0;  ///< no rank can finish before its longest task
  load_ns max_before = 0;    ///< of a rank
  load_ns max_after = 0;
  std::uint64_t migrations = 0;
  load_ns moved = 0;       ///< load of the migrated tasks
  std::uint64_t hops = 0;  ///< edges of a balance_tree between donor and receiver, summed over the migrations

  /// A maximum that no balancer can go below.
  [[nodiscard]] double lower_bound() const noexcept;
  /// max / average - 1, the paper's quality as a share; 0 where there is no load. [retentive-hpdc12 7.3]
  [[nodiscard]] double over_ideal_before() const noexcept;
  [[nodiscard]] double over_ideal_after() const noexcept;
  /// max_after / lower_bound - 1.
  [[nodiscard]] double over_bound_after() const noexcept;
};

/// Contains every task at most once, and no task that stays where it is.
struct balance_plan {
  std::vector<migration> migrations;
  balance_report report;
};

/// The loads of all ranks after these migrations. A rank's tasks: those that stay, then those that arrive in the order of
/// the migrations; so indices change. Cost: O(tasks).
[[nodiscard]] machine_loads after(machine_loads const& loads, std::span<migration const> migrations);

/// The sum of the loads of each rank.
[[nodiscard]] std::vector<load_ns> totals_of(machine_loads const& loads);
/// The average of these totals; 0 if there are none.
[[nodiscard]] double average_of(std::span<load_ns const> totals) noexcept;

/// A plan with its report. The report takes the true loads, also where a balancer knew rounded ones. `arity`: of the
/// tree in which hops are counted. Cost: O(tasks + migrations log ranks).
[[nodiscard]] balance_plan plan_of(machine_loads const& loads, std::vector<migration> migrations, std::uint32_t arity);

}}}}  // namespace skua::v0::policies::balance
