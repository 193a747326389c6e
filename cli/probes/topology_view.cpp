// SPDX-License-Identifier: MIT
#include "cli/probes/topology_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cli/text/report.hpp"
#include "skua/parts/base/printable.hpp"
#include "skua/parts/topology/core_kinds.hpp"
#include "skua/parts/topology/cpu_mask.hpp"

namespace skua::cli {
namespace {

/// From a PU's OS index to its workers.
std::map<std::uint32_t, runtime::cpu_mask> workers_by_pu(layout const& map) {
  std::map<std::uint32_t, runtime::cpu_mask> all;
  for (std::uint32_t w = 0; w < map.workers(); ++w) all[map.pu_of(worker_id{w})].insert(w);
  return all;
}

/// Are there several kinds of cores? Only then their rank means something.
bool has_kinds(topology const& machine) {
  auto const pus = machine.pus();
  return std::ranges::any_of(pus,
                             [&](runtime::topology_pu const& pu) { return pu.efficiency != pus.front().efficiency; });
}

bool has_speeds(topology const& machine) {
  return std::ranges::any_of(machine.pus(), [](runtime::topology_pu const& pu) { return pu.speed < 1; });
}

std::string workers_text(runtime::cpu_mask const& workers) {
  return fmt::format("{} {}", workers.size() == 1 ? "worker" : "workers", to_text(workers));
}

runtime::cpu_mask workers_of(layout const& map, place_id p) {
  runtime::cpu_mask all;
  for (worker_id const w : map.workers_of(p)) all.insert(index(w));
  return all;
}

json index_json(std::uint32_t i) { return i == runtime::no_index ? json() : json(i); }

/// The node at `at` with everything below it. Depth at most seven.
json node_json(topology const& machine, std::uint32_t at, std::map<std::uint32_t, runtime::cpu_mask> const& workers) {
  runtime::topology_node const& n = machine.nodes()[at];
  json one{{"kind", runtime::level_name(n.kind)}, {"os_index", index_json(n.os_index)}, {"pus", n.pus}};
  if (n.bytes > 0) one["bytes"] = n.bytes;
  if (n.kind == runtime::level::pu) {
    runtime::topology_pu const& pu = machine.pus()[n.first_pu];
    if (pu.efficiency >= 0) one["efficiency"] = pu.efficiency;
    if (has_speeds(machine)) one["speed"] = pu.speed;
    auto const here = workers.find(pu.os_index);
    one["workers"] = here == workers.end() ? std::vector<std::uint32_t>{} : here->second.members();
    return one;
  }
  one["children"] = json::array();
  for (std::uint32_t child = at + 1; child < n.end; child = machine.nodes()[child].end) {
    one["children"].push_back(node_json(machine, child, workers));
  }
  return one;
}

std::string memory_text(runtime::memory_details const& m) {
  std::string line = fmt::format("memory {}", m.os_index);
  if (!m.kind.empty()) line += fmt::format("  {}", runtime::printable(m.kind));
  if (m.bytes > 0) line += fmt::format("  {}", in_bytes(m.bytes));
  line += m.near.empty() ? "  no PU" : fmt::format("  PUs {}", to_text(m.near));
  if (m.bandwidth_mib_per_s) line += fmt::format("  {} MiB/s", *m.bandwidth_mib_per_s);
  if (m.latency_ns) line += fmt::format("  {} ns", *m.latency_ns);
  return line + "\n";
}

std::string distances_text(runtime::distance_details const& d) {
  std::string text = d.name.empty() ? "distances" : runtime::printable(d.name);
  for (std::uint32_t const node : d.nodes) text += fmt::format("  {:>5}", node);
  text += "\n";
  std::size_t const n = d.nodes.size();
  for (std::size_t row = 0; row < n; ++row) {
    text += fmt::format("  node {:>5}", d.nodes[row]);
    for (std::size_t column = 0; column < n; ++column) text += fmt::format("  {:>5}", d.values[row * n + column]);
    text += "\n";
  }
  return text;
}

std::string kind_text(runtime::core_kind_details const& kind) {
  std::string line = kind.efficiency < 0 ? "cores, not ranked" : fmt::format("cores of kind {}", kind.efficiency);
  line += fmt::format("  PUs {}", to_text(kind.pus));
  for (auto const& [name, value] : kind.facts) line += runtime::printable(fmt::format("  {} {}", name, value));
  return line + "\n";
}

json kinds_json(topology const& machine) {
  json all = json::array();
  for (runtime::core_kind const& kind : runtime::core_kinds_of(machine))
    all.push_back({{"name", kind.name}, {"speed", kind.speed}, {"cores", kind.cores}, {"pus", kind.pus.members()}});
  return all;
}

json workers_json(layout const& map) {
  json all = json::array();
  for (std::uint32_t w = 0; w < map.workers(); ++w) {
    worker_id const id{w};
    all.push_back({{"worker", w},
                   {"pu", index_json(map.pu_of(id))},
                   {"place", index(map.place_of(id))},
                   {"numa_node", index_json(map.numa_of(id))}});
  }
  return all;
}

}  // namespace

std::string tree_text(topology const& machine, layout const& map) {
  auto const workers = workers_by_pu(map);
  bool const kinds = has_kinds(machine);
  bool const speeds = has_speeds(machine);
  std::string all;
  for (runtime::topology_node const& n : machine.nodes()) {
    std::string line = fmt::format("{:{}}{}", "", 2 * n.depth, runtime::level_name(n.kind));
    if (n.os_index != runtime::no_index) line += fmt::format(" {}", n.os_index);
    if (n.kind == runtime::level::machine) line += fmt::format("  {}, {} PUs", machine.source(), n.pus);
    if (n.bytes > 0) line += fmt::format("  {}", in_bytes(n.bytes));
    if (n.kind == runtime::level::pu) {
      runtime::topology_pu const& pu = machine.pus()[n.first_pu];
      if (kinds) line += fmt::format("  kind {}", pu.efficiency);
      if (speeds) line += fmt::format("  speed {:.2g}", pu.speed);
      if (auto const here = workers.find(pu.os_index); here != workers.end())
        line += fmt::format("  {}", workers_text(here->second));
    }
    all += line + "\n";
  }
  return all;
}

std::string details_text(runtime::machine_details const& details) {
  std::string text;
  bool const has_tiers = details.memories.size() > 1 ||
                         std::ranges::any_of(details.memories, [](auto const& m) { return !m.kind.empty(); });
  if (has_tiers) text += "\n";
  for (runtime::memory_details const& m : details.memories) text += has_tiers ? memory_text(m) : "";
  for (runtime::distance_details const& d : details.distances) text += "\n" + distances_text(d);
  if (details.core_kinds.size() > 1) {
    text += "\n";
    for (runtime::core_kind_details const& kind : details.core_kinds) text += kind_text(kind);
  }
  return text;
}

std::string place_text(layout const& map, place_id p) {
  return fmt::format("{}, {}", map.place_kind(p), workers_text(workers_of(map, p)));
}

std::string places_text(layout const& map) {
  std::string all;
  for (std::uint32_t p = 0; p < map.places(); ++p)
    all += fmt::format("place {}  {}\n", p, place_text(map, place_id{p}));
  return all;
}

json topology_json(topology const& machine, layout const& map) {
  json kinds = has_speeds(machine) ? kinds_json(machine) : json::array();
  json places = json::array();
  for (std::uint32_t p = 0; p < map.places(); ++p) {
    place_id const id{p};
    places.push_back({{"place", p}, {"kind", map.place_kind(id)}, {"workers", workers_of(map, id).members()}});
  }
  return {{"source", machine.source()},
          {"this_system", machine.is_this_system()},
          {"machine_pus", machine.machine_pus()},
          {"pus", machine.pus().size()},
          {"tree", node_json(machine, 0, workers_by_pu(map))},
          {"places", std::move(places)},
          {"core_kinds", std::move(kinds)},
          {"workers", workers_json(map)},
          {"remarks", std::vector<std::string>(machine.remarks().begin(), machine.remarks().end())}};
}

}  // namespace skua::cli
