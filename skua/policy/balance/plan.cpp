// SPDX-License-Identifier: MIT
#include "skua/policy/balance/plan.hpp"

#include <algorithm>
#include <utility>

#include "skua/policy/balance/balance_tree.hpp"
#include "skua/policy/balance/machine_totals.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace balance {
namespace {

double over(load_ns most, double least) noexcept { return least > 0 ? static_cast<double>(most) / least - 1 : 0; }

load_ns longest_of(machine_loads const& loads) noexcept {
  load_ns longest = 0;
  for (auto const& rank : loads) {
    for (load_ns const load : rank) longest = std::max(longest, load);
  }
  return longest;
}

load_ns max_of(std::span<load_ns const> totals) noexcept { return totals.empty() ? 0 : std::ranges::max(totals); }

}  // namespace

double balance_report::lower_bound() const noexcept { return std::max(average, static_cast<double>(longest_task)); }
double balance_report::over_ideal_before() const noexcept { return over(max_before, average); }
double balance_report::over_ideal_after() const noexcept { return over(max_after, average); }
double balance_report::over_bound_after() const noexcept { return over(max_after, lower_bound()); }

machine_loads after(machine_loads const& loads, std::span<migration const> migrations) {
  std::vector<std::vector<bool>> leaves(loads.size());
  for (std::size_t r = 0; r < loads.size(); ++r) leaves[r].resize(loads[r].size());
  for (migration const& m : migrations) leaves[m.donor][m.task] = true;
  machine_loads moved(loads.size());
  for (std::size_t r = 0; r < loads.size(); ++r) {
    for (std::size_t t = 0; t < loads[r].size(); ++t) {
      if (!leaves[r][t]) moved[r].push_back(loads[r][t]);
    }
  }
  for (migration const& m : migrations) moved[m.receiver].push_back(loads[m.donor][m.task]);
  return moved;
}

std::vector<load_ns> totals_of(machine_loads const& loads) {
  std::vector<load_ns> totals(loads.size(), 0);
  for (std::size_t r = 0; r < loads.size(); ++r) {
    for (load_ns const load : loads[r]) totals[r] = plus(totals[r], load);
  }
  return totals;
}

double average_of(std::span<load_ns const> totals) noexcept {
  if (totals.empty()) return 0;
  machine_totals all;
  for (load_ns const t : totals) all.add({.sum_low = t});
  return all.average(totals.size());
}

balance_plan plan_of(machine_loads const& loads, std::vector<migration> migrations, std::uint32_t arity) {
  balance_plan plan{std::move(migrations), {}};
  balance_report& report = plan.report;
  report.ranks = static_cast<std::uint32_t>(loads.size());
  if (loads.empty()) return plan;
  for (auto const& rank : loads) report.tasks += rank.size();
  std::vector<load_ns> const before = totals_of(loads);
  report.average = average_of(before);
  report.longest_task = longest_of(loads);
  report.max_before = max_of(before);
  report.max_after = max_of(totals_of(after(loads, plan.migrations)));
  report.migrations = plan.migrations.size();
  balance_tree const tree(report.ranks, arity);
  for (migration const& m : plan.migrations) {
    report.moved = plus(report.moved, loads[m.donor][m.task]);
    report.hops += tree.hops(m.donor, m.receiver);
  }
  return plan;
}

}}}}  // namespace skua::v0::policies::balance
