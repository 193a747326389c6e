// SPDX-License-Identifier: MIT
#include "skua/parts/topology/default_workers.hpp"

#include <algorithm>
#include <cstdio>

#include "skua/parts/base/options.hpp"

namespace skua { inline namespace v0 { namespace runtime {

default_workers count_default_workers(topology const& machine, cpu_quota const& quota) {
  auto const pus = static_cast<std::uint32_t>(machine.pus().size());
  if (!machine.is_this_system()) {
    return {.count = std::min(pus, max_workers), .why = "every PU of " + machine.source()};
  }
  auto const allowed = quota.whole_cpus();
  if (allowed && *allowed < pus) {
    cpu_limit const& limit = quota.limits.front();
    char cpus[32];
    std::snprintf(cpus, sizeof cpus, "%.2f", limit.cpus());
    return {.count = *allowed, .why = "CPU quota of " + std::string{cpus} + ", rounded up, from " + limit.file};
  }
  std::string why = std::to_string(pus) + " of " + std::to_string(machine.machine_pus()) +
                    " PUs in the affinity mask (" + to_text(machine.mask()) + ")";
  return {.count = std::min(pus, max_workers), .why = std::move(why)};
}

}}}  // namespace skua::v0::runtime
