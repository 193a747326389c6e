// SPDX-License-Identifier: MIT
#include "apps/ranks_plan.hpp"

#include <filesystem>
#include <system_error>

#include "apps/app.hpp"

#include "skua/parts/base/error.hpp"
#include "skua/policy/balance/balancers.hpp"

namespace skua::apps {

ranks_load ranks_program::load() { return {}; }

planned_workers::planned_workers(communicator& world, ranks_plan const& plan) {
  std::uint32_t const workers = plan.workers ? *plan.workers : world.processors();
  serving const serves = plan.serves.value_or(serving::between_tasks);
  std::uint32_t const threads = serves == serving::server_thread ? workers : workers - 1;
  if (threads == 0) return;
  threads_.emplace(pool_options{.workers = threads, .trace = ""});  // the rank's own trace has their tasks
  workers_.emplace(world, *threads_, serves);
}

std::string checkpoint_file(ranks_plan const& plan, std::string_view app) {
  if (plan.checkpoint.empty()) return {};
  std::error_code fault;
  std::filesystem::create_directories(plan.checkpoint, fault);
  if (fault) throw resource_error("--checkpoint " + plan.checkpoint + ": " + fault.message());
  return (std::filesystem::path(plan.checkpoint) / (std::string(app) + ".checkpoint")).string();
}

bool is_there(communicator& world, std::string const& file) {
  bool const here = world.rank() == 0 && !file.empty() && std::filesystem::exists(file);
  return world.max(here ? 1.0 : 0.0) > 0;
}

void ranks_plan::check() const {
  if (!is_balancer()) return;
  try {
    static_cast<void>(policies::balance::make_balancer(balance));
  } catch (usage_error const& e) {
    throw usage_error(std::string("--balance: ") + e.what() + "; or none, steal, retentive, auto");
  }
}

}  // namespace skua::apps
