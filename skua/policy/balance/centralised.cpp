// SPDX-License-Identifier: MIT
#include "skua/policy/balance/centralised.hpp"

#include <utility>

#include "skua/policy/balance/donors.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace balance {

balance_plan centralised(machine_loads const& loads, centralised_options const& options) {
  std::vector<donated_task> pool;
  std::vector<load_ns> kept;
  kept.reserve(loads.size());
  for (donation const& offered : donations_of(loads, options.loads, options.donate)) {
    pool.insert(pool.end(), offered.tasks.begin(), offered.tasks.end());
    kept.push_back(offered.kept);
  }
  std::vector<migration> migrations;
  for (assignment const& a : assign_longest_to_least(std::move(pool), kept)) {
    if (a.task.donor != a.receiver) migrations.push_back({a.task.donor, a.task.task, a.receiver});
  }
  return plan_of(loads, std::move(migrations), 3);
}

}}}}  // namespace skua::v0::policies::balance
