// SPDX-License-Identifier: MIT
// The first step of centralised and hierarchical balancing for all ranks at once: each rank measures, learns the
// average and donates.
#pragma once

#include <vector>

#include "skua/policy/balance/plan.hpp"
#include "skua/policy/balance/steps.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace balance {

/// The database of a rank after an iteration with these loads.
[[nodiscard]] load_database measured(std::vector<load_ns> const& tasks, load_database::detail how);

/// Each rank's donation, in the order of the ranks.
[[nodiscard]] std::vector<donation> donations_of(machine_loads const& loads, load_database::detail how, double factor);

/// Appends the migrations of these tasks to rank `by`, without the tasks that return to their donor.
void add_migrations(std::vector<donated_task> const& received, std::uint32_t by, std::vector<migration>& to);

}}}}  // namespace skua::v0::policies::balance
