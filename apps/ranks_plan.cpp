// SPDX-License-Identifier: MIT
#include "apps/ranks_plan.hpp"

#include "apps/app.hpp"

#include "skua/parts/base/error.hpp"
#include "skua/policy/balance/balancers.hpp"

namespace skua::apps {

ranks_load ranks_program::load() { return {}; }

void ranks_plan::check() const {
  if (!is_balancer()) return;
  try {
    static_cast<void>(policies::balance::make_balancer(balance));
  } catch (usage_error const& e) {
    throw usage_error(std::string("--balance: ") + e.what() + "; or none, steal, retentive");
  }
}

}  // namespace skua::apps
