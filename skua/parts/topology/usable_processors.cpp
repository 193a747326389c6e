// SPDX-License-Identifier: MIT
#include "skua/parts/topology/usable_processors.hpp"

#include <algorithm>

#include "skua/parts/topology/affinity.hpp"
#include "skua/parts/topology/cpu_mask.hpp"

namespace skua { inline namespace v0 { namespace runtime {

std::uint32_t usable_processors(std::span<int const> threads, std::uint32_t enough, cpu_quota const& quota) {
  cpu_mask together;
  for (int const t : threads) {
    for (std::uint32_t const pu : affinity_of_thread(t).members()) together.insert(pu);
    if (together.size() >= enough) break;
  }
  return std::min(together.size(), quota.whole_cpus().value_or(together.size()));
}

}}}  // namespace skua::v0::runtime
