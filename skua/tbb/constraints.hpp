// SPDX-License-Identifier: MIT
// oneTBB's constraints of arenas: on which part of the machine their workers run.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "skua/parts/base/error.hpp"
#include "skua/parts/topology/cgroup.hpp"
#include "skua/parts/topology/default_workers.hpp"
#include "skua/parts/topology/topology.hpp"

namespace skua { inline namespace v0 { namespace tbb {

using numa_node_id = int;  ///< as the operating system counts them
using core_type_id = int;  ///< from the thriftiest to the fastest

/// -1, everywhere: no constraint.
struct constraints {
  constraints& set_numa_id(numa_node_id id) {
    numa_id = id;
    return *this;
  }
  constraints& set_max_concurrency(int most) {
    max_concurrency = most;
    return *this;
  }
  constraints& set_core_type(core_type_id id) {
    core_type = id;
    return *this;
  }
  constraints& set_max_threads_per_core(int most) {
    max_threads_per_core = most;
    return *this;
  }
  numa_node_id numa_id = -1;
  int max_concurrency = -1;
  core_type_id core_type = -1;
  int max_threads_per_core = -1;

  /// True if they say where, and not only how many.
  [[nodiscard]] bool choose_processors() const noexcept {
    return numa_id != -1 || core_type != -1 || max_threads_per_core != -1;
  }
};

namespace info {

/// The NUMA nodes that the calling thread may use; one, -1, if the machine has none that can be told apart. Reads the machine's topology,
/// as all functions of this namespace do: some ms.
[[nodiscard]] inline std::vector<numa_node_id> numa_nodes() {
  std::vector<numa_node_id> found;
  for (runtime::topology_node const& node : topology::machine().nodes()) {
    if (node.kind == runtime::level::numa_node && node.os_index != runtime::no_index)
      found.push_back(static_cast<numa_node_id>(node.os_index));
  }
  if (found.empty()) found.push_back(-1);
  return found;
}

/// The kinds of cores, thriftiest first; one, -1, if they are alike or not known.
[[nodiscard]] inline std::vector<core_type_id> core_types() {
  topology const machine = topology::machine();
  std::vector<core_type_id> found;
  for (runtime::topology_pu const& pu : machine.pus()) found.push_back(pu.efficiency);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

/// The processors that meet the constraints, by the numbers of the operating system. Throws usage_error if there are none.
[[nodiscard]] inline std::vector<std::uint32_t> processors_of(constraints const& c) {
  topology const machine = topology::machine();
  std::map<std::uint32_t, int> taken_of_core;
  std::vector<std::uint32_t> found;
  for (std::uint32_t at = 0; at < machine.pus().size(); ++at) {
    runtime::topology_pu const& pu = machine.pus()[at];
    std::uint32_t const node = machine.ancestor(at, runtime::level::numa_node);
    if (c.numa_id != -1 &&
        (node == runtime::no_index || machine.nodes()[node].os_index != static_cast<std::uint32_t>(c.numa_id)))
      continue;
    if (c.core_type != -1 && pu.efficiency != c.core_type) continue;
    std::uint32_t const core = machine.ancestor(at, runtime::level::core);
    if (c.max_threads_per_core != -1 && core != runtime::no_index && taken_of_core[core]++ >= c.max_threads_per_core)
      continue;
    found.push_back(pu.os_index);
  }
  if (found.empty()) {
    throw usage_error("constraints: numa_id " + std::to_string(c.numa_id) + ", core_type " +
                      std::to_string(c.core_type) + ", max_threads_per_core " + std::to_string(c.max_threads_per_core) +
                      " leave no processor; allowed: what info::numa_nodes() and info::core_types() return, and 1 or "
                      "more threads per core");
  }
  return found;
}

/// How many workers a pool has by default, SKUA_WORKERS and OMP_NUM_THREADS aside.
[[nodiscard]] inline int default_concurrency() {
  return static_cast<int>(runtime::count_default_workers(topology::machine(), runtime::read_cpu_quota()).count);
}
/// The same under constraints.
[[nodiscard]] inline int default_concurrency(constraints const& c) {
  if (c.max_concurrency > 0) return c.max_concurrency;
  int const usual = default_concurrency();
  return c.choose_processors() ? std::min(usual, static_cast<int>(processors_of(c).size())) : usual;
}
[[nodiscard]] inline int default_concurrency(numa_node_id id) {
  return default_concurrency(constraints{}.set_numa_id(id));
}

}  // namespace info
}}}  // namespace skua::v0::tbb
