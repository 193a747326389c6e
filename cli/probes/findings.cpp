// SPDX-License-Identifier: MIT
#include "cli/probes/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "cli/probes/bare_system.hpp"
#include "cli/text/report.hpp"
#include "skua/parts/topology/affinity.hpp"
#include "skua/parts/topology/core_kinds.hpp"

namespace skua::cli {
namespace {

std::string duration_text(std::chrono::nanoseconds d) {
  if (d == runtime::spin_forever) return "inf";
  if (d.count() % 1000 == 0) return fmt::format("{}us", d.count() / 1000);
  return fmt::format("{}ns", d.count());
}

std::string source_text(std::string const& from) { return from == "code" ? "command line" : from; }

void add_missing_pages(runtime::page_abilities const& pages, std::vector<std::string>& all) {
  if (!pages.bind.works)
    all.push_back(
        fmt::format("memory cannot be bound to NUMA nodes: {}; arrays are placed by first touch", pages.bind.why));
  if (!pages.locate.works) all.push_back(fmt::format("the node of a page cannot be found: {}", pages.locate.why));
  if (!pages.huge.works)
    all.push_back(fmt::format("huge pages: {}; arrays that ask for them get small pages", pages.huge.why));
}

/// True if the system ranks cores differently.
bool has_ranks(topology const& tree) {
  return std::ranges::adjacent_find(tree.pus(), std::ranges::not_equal_to{}, &runtime::topology_pu::efficiency) !=
         tree.pus().end();
}

void add_missing_levels(topology const& tree, std::vector<std::string>& all) {
  auto const nodes = tree.count(runtime::level::numa_node);
  if (nodes == 0) all.emplace_back("NUMA nodes: the system reports none, so all memory counts as equally near");
  if (nodes == 1) all.emplace_back("several NUMA nodes: there is one, so all memory is equally near");
  if (nodes > 1 && !tree.has_numa_latencies()) {
    all.emplace_back(
        "latencies between NUMA nodes: the firmware (SLIT) reports none, so all other nodes count as equally far");
  }
  if (tree.count(runtime::level::l3) == 0) {
    all.emplace_back(
        "L3 caches: the system reports none (a virtual machine, or a processor without one), so places are larger "
        "units");
  }
  bool kinds = false;
  for (runtime::topology_pu const& pu : tree.pus()) kinds = kinds || pu.efficiency >= 0;
  if (!kinds) all.emplace_back("kinds of cores: the system does not rank them, so all cores count as equally fast");
  if (tree.pus().size() > 1 && has_ranks(tree) && runtime::core_kinds_text(tree).empty()) {
    all.emplace_back(
        "speeds of cores: the system ranks the kinds without a capacity or frequency that differs, so all count as "
        "equally "
        "fast");
  }
}

}  // namespace

std::vector<std::string> findings::missing() const {
  std::vector<std::string> all;
  if (fence == runtime::fences::full)
    all.push_back(fmt::format("asymmetric fences: {}; every join pays a full fence", why_fence));
  if (quota.limited() && quota.whole_cpus() < tree.pus().size()) {
    all.push_back(fmt::format("processors: {} PUs are usable, but the control group allows {:.2f} CPUs",
                              tree.pus().size(), quota.limits.front().cpus()));
  }
  if (tree.is_this_system() && tree.pus().size() < tree.machine_pus()) {
    all.push_back(fmt::format("processors: the machine has {} PUs, the affinity mask allows {}", tree.machine_pus(),
                              tree.pus().size()));
  }
  std::size_t refused = 0;
  std::string first_refusal;
  for (std::string const& pin : facts.pins) {
    if (pin.find("refused") == std::string::npos) continue;
    if (refused++ == 0) first_refusal = pin;
  }
  if (refused > 0)
    all.push_back(fmt::format("pinning of {} of {} workers: {}", refused, facts.pins.size(), first_refusal));
  add_missing_pages(pages, all);
  add_missing_levels(tree, all);
  for (std::string const& remark : tree.remarks()) all.push_back(remark);
  for (std::string const& remark : quota.remarks) all.push_back(remark);
  all.insert(all.end(), system_lacks.begin(), system_lacks.end());
  return all;
}

std::vector<shown_setting> findings::settings_shown() const {
  runtime::settings const& s = facts.chosen;
  auto const file = [](std::string const& path) { return path.empty() ? "none" : path; };
  auto const switched = [](std::optional<bool> on) { return !on ? "unset" : *on ? "on" : "off"; };
  return {
      {"workers", fmt::format("{}", map.workers()), source_text(s.workers.source)},
      {"policy", s.policy.value, source_text(s.policy.source)},
      {"places", s.places.value.empty() ? "as the machine suggests" : s.places.value, source_text(s.places.source)},
      {"pin", switched(s.pin.value), source_text(s.pin.source)},
      {"spin", duration_text(s.spin.value), source_text(s.spin.source)},
      {"count forks", switched(s.count_forks.value), source_text(s.count_forks.source)},
      {"stack", in_bytes(s.stack_bytes.value), source_text(s.stack_bytes.source)},
      {"history", file(s.history.value), source_text(s.history.source)},
      {"trace", file(s.trace.value), source_text(s.trace.source)},
  };
}

findings examine(pool_options const& chosen, topology tree) {
  // Read before workers start, so that the load and the mask are those of the user's shell, and no other thread runs.
  machine_facts machine = look_at_machine();
  runtime::cpu_mask mask = runtime::affinity_of_this_thread();
  runtime::cpu_quota quota = runtime::read_cpu_quota();
  runtime::default_workers usual = runtime::count_default_workers(tree, quota);
  std::vector<std::string> system_lacks = missing_on_a_bare_system();
  pool const tried(chosen);
  return {.machine = std::move(machine),
          .tree = std::move(tree),
          .mask = std::move(mask),
          .quota = std::move(quota),
          .usual = std::move(usual),
          .facts = tried.facts(),
          .map = tried.layout(),
          .fence = runtime::fence_kind(),
          .why_fence = runtime::fence_reason(),
          .pages = runtime::try_pages(),
          .system_lacks = std::move(system_lacks)};
}

}  // namespace skua::cli
