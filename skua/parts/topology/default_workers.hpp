// SPDX-License-Identifier: MIT
// How many workers a pool has when nobody says: as many as may really run at once.
#pragma once

#include <cstdint>
#include <string>

#include "skua/parts/topology/cgroup.hpp"
#include "skua/parts/topology/topology.hpp"

namespace skua::runtime {

struct default_workers {
  std::uint32_t count = 1;
  std::string why = {};  ///< one clause, such as "2 PUs in the affinity mask 0-1"
};

/// min(PUs of the topology, quota rounded up). The quota concerns this machine only, so another topology (synthetic, XML)
/// has a worker per PU. At most max_workers.
[[nodiscard]] default_workers count_default_workers(topology const& machine, cpu_quota const& quota);

}  // namespace skua::runtime
