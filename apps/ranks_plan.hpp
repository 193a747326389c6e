// SPDX-License-Identifier: MIT
// How the apps that run on ranks balance their iterations. [retentive-hpdc12 7.2]
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "skua/ranks.hpp"

namespace skua::apps {

struct ranks_plan {
  /// none: every rank runs what it was given. steal: and steals; the next iteration starts as the first. retentive: and starts where the last
  /// one ended. Else a balancer: stealing in the first iteration only, and the balancer after each one.
  std::string balance = "retentive";
  /// Called after each process(), on every rank.
  std::function<void(collection_report const&)> tell = [](collection_report const&) {};

  [[nodiscard]] bool is_balancer() const { return balance != "none" && balance != "steal" && balance != "retentive"; }
  /// Throws usage_error that names --balance.
  void check() const;
};

/// Runs a collection, reports, and prepares its next iteration. Collective.
template <class Task>
void iterate(task_collection<Task>& all, ranks_plan const& plan, unsigned iteration) {
  all.stealing(plan.balance != "none" && (iteration == 0 || !plan.is_balancer()));
  all.process();
  plan.tell(all.report());
  if (plan.is_balancer()) all.rebalance(plan.balance);
  all.restore(plan.balance == "steal" ? placement_of_tasks::original : placement_of_tasks::retained);
}

}  // namespace skua::apps
