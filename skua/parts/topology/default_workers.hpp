// SPDX-License-Identifier: MIT
// The default number of workers: as many as can run at once.
#pragma once

#include <cstdint>
#include <string>

#include "skua/parts/topology/cgroup.hpp"
#include "skua/parts/topology/topology.hpp"

namespace skua { inline namespace v0 { namespace runtime {

struct default_workers {
  std::uint32_t count = 1;
  std::string why = {};  ///< one clause, such as "2 PUs in the affinity mask 0-1"
};

/// min(PUs of the topology, quota rounded up), at most max_workers. The quota concerns this machine only, so another
/// topology (synthetic, XML) gets one worker per PU.
[[nodiscard]] default_workers count_default_workers(topology const& machine, cpu_quota const& quota);

}}}  // namespace skua::v0::runtime
