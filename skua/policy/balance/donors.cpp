// SPDX-License-Identifier: MIT
#include "skua/policy/balance/donors.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace balance {

load_database measured(std::vector<load_ns> const& tasks, load_database::detail how) {
  load_database database(how);
  for (std::size_t t = 0; t < tasks.size(); ++t) database.add(static_cast<std::uint32_t>(t), tasks[t]);
  return database;
}

std::vector<donation> donations_of(machine_loads const& loads, load_database::detail how, double factor) {
  double const average = average_of(totals_of(loads));
  std::vector<donation> all;
  all.reserve(loads.size());
  for (std::size_t r = 0; r < loads.size(); ++r) {
    load_database database = measured(loads[r], how);
    all.push_back(donate(static_cast<std::uint32_t>(r), database, average, factor));
  }
  return all;
}

void add_migrations(std::vector<donated_task> const& received, std::uint32_t by, std::vector<migration>& to) {
  for (donated_task const& t : received) {
    if (t.donor != by) to.push_back({t.donor, t.task, by});
  }
}

}}}}  // namespace skua::v0::policies::balance
