// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/simulated/cluster.hpp"

#include <algorithm>
#include <string>

#include "skua/parts/base/error.hpp"

namespace skua::inline v0::ranks {

std::vector<cluster> const& clusters() {
  static std::vector<cluster> const all{
      {.name = "hopper",
       .about = "Cray XE6: nodes of 24 cores, two nodes to a Gemini chip (9.8 GB/s each way)",
       .ranks_per_node = 24,
       .nodes_per_switch = 2,
       .in_node = {600, 4e9},
       .in_switch = {1300, 5.8e9},
       .in_system = {1800, 5.8e9},
       .handler_ns = 1000,
       .assumed = "latencies, bandwidth of a message, handler_ns, task_overhead_ns"},
      {.name = "intrepid",
       .about = "IBM Blue Gene/P: nodes of 4 cores, a torus of 425 MB/s links",
       .ranks_per_node = 4,
       .nodes_per_switch = 32,
       .in_node = {1500, 1e9},
       .in_switch = {2800, 0.375e9},
       .in_system = {4500, 0.375e9},
       .handler_ns = 3000,
       .task_overhead_ns = 600,
       .assumed = "latencies, bandwidth of a message, handler_ns, task_overhead_ns, 32 nodes as near ones"},
      {.name = "titan",
       .about = "Cray XK6: nodes of 16 cores, two nodes to a Gemini chip (9.8 GB/s each way)",
       .ranks_per_node = 16,
       .nodes_per_switch = 2,
       .in_node = {600, 4e9},
       .in_switch = {1300, 5.8e9},
       .in_system = {1900, 5.8e9},
       .handler_ns = 1000,
       .assumed = "latencies, bandwidth of a message, handler_ns, task_overhead_ns"}};
  return all;
}

cluster const& cluster_named(std::string_view name) {
  auto const at = std::ranges::find(clusters(), name, &cluster::name);
  if (at != clusters().end()) return *at;
  std::string known;
  for (cluster const& c : clusters()) known += (known.empty() ? "" : ", ") + std::string(c.name);
  throw usage_error("cluster is '" + std::string(name) + "'; allowed: " + known);
}

}  // namespace skua::inline v0::ranks
