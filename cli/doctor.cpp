// SPDX-License-Identifier: MIT
// skua doctor: the machine, its limits for Skua, each setting and its source, and missing features with the reason.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "apps/hartree_fock/molecules/repulsion.hpp"
#include "cli/export/formats.hpp"
#include "cli/mpi/modules.hpp"
#include "cli/probes/findings.hpp"
#include "cli/probes/topology_view.hpp"
#include "cli/subcommand.hpp"
#include "cli/text/output.hpp"
#include "cli/text/pool_flags.hpp"
#include "skua/parts/context/stack.hpp"
#include "skua/parts/topology/core_kinds.hpp"

namespace skua::cli {
namespace {

struct arguments {
  pool_flags flags;
  std::string json_path;
};

std::string section(std::string_view title, table const& lines) {
  return fmt::format("{}\n{}\n", title, lines.text("  "));
}

std::string limit_text(runtime::cpu_limit const& l) { return fmt::format("{:.2f} CPUs, from {}", l.cpus(), l.file); }

std::string machine_text(findings const& found) {
  topology const& tree = found.tree;
  table t({{}, {}});
  t.add({"processor", found.machine.cpu});
  t.add({"kernel", found.machine.kernel});
  t.add({"skua",
         fmt::format("{}, {}, {}", found.machine.skua_version, found.machine.compiler, found.machine.build_type)});
  t.add({"topology of", tree.source()});
  t.add({"PUs",
         fmt::format("{} of {} usable; affinity mask {}", tree.pus().size(), tree.machine_pus(), to_text(found.mask))});
  t.add({"CPU quota", found.quota.limited() ? limit_text(found.quota.limits.front()) : "none"});
  for (std::size_t i = 1; i < found.quota.limits.size(); ++i)
    t.add({"", fmt::format("also {}", limit_text(found.quota.limits[i]))});
  t.add({"packages", fmt::format("{}", tree.count(runtime::level::package))});
  t.add({"NUMA nodes", fmt::format("{}", tree.count(runtime::level::numa_node))});
  t.add({"L3 caches", fmt::format("{}", tree.count(runtime::level::l3))});
  t.add({"cores", fmt::format("{}", tree.count(runtime::level::core))});
  if (std::string const kinds = runtime::core_kinds_text(tree); !kinds.empty()) t.add({"kinds of cores", kinds});
  return section("Machine", t);
}

std::string workers_text(findings const& found) {
  table t({{}, {}});
  t.add({"workers", fmt::format("{}: {}", found.map.workers(), found.facts.why_workers)});
  if (found.facts.chosen.workers.value)
    t.add({"by default", fmt::format("{}: {}", found.usual.count, found.usual.why)});
  for (std::uint32_t p = 0; p < found.map.places(); ++p)
    t.add({fmt::format("place {}", p), place_text(found.map, place_id{p})});
  for (std::uint32_t w = 0; w < found.map.workers(); ++w) {
    worker_id const id{w};
    t.add({fmt::format("worker {}", w), fmt::format("place {}, PU {}, {}", index(found.map.place_of(id)),
                                                    found.map.pu_of(id), found.facts.pins[w])});
  }
  return section("Workers", t);
}

std::string mechanisms_text(findings const& found) {
  table t({{}, {}});
  t.add({"fences", found.why_fence});
  t.add({"stacks", fmt::format("{} each, of which only touched pages cost memory; guard {}",
                               in_bytes(found.facts.chosen.stack_bytes.value), in_bytes(runtime::guard_bytes))});
  auto const ability = [](runtime::page_ability const& a) { return a.works ? a.why : "no: " + a.why; };
  t.add({"bind memory", ability(found.pages.bind)});
  t.add({"find memory", ability(found.pages.locate)});
  t.add({"huge pages", ability(found.pages.huge)});
  return section("Mechanisms", t);
}

std::string settings_text(findings const& found) {
  table t({{}, {}, {}});
  for (shown_setting const& s : found.settings_shown()) t.add({s.name, s.value, s.from});
  return section("Settings and their sources", t);
}

/// The launcher that started this process, the modules for MPIs, and what `skua run --ranks` would run on.
struct ranks_findings {
  std::vector<runtime::launcher> launchers = runtime::find_launchers(runtime::process_environment());
  std::string folder = folder_of_modules();
  std::vector<module_look> modules = look_at_modules(folder);
  mpi_choice choice = choose_mpi(launchers, modules_in(folder), folder);

  [[nodiscard]] std::string launcher() const {
    std::string text;
    for (runtime::launcher const& by : launchers) {
      if (!text.empty()) text += "; ";
      text += fmt::format("{} ({})", by.name,
                          by.processes ? fmt::format("{} is {}", by.sign, *by.processes) : by.sign + " is set");
    }
    return text;
  }
  /// Of `skua run --ranks`, if this process could run it.
  [[nodiscard]] std::string runs_on() const {
    if (!choice.refusal.empty()) return "nothing: " + choice.refusal;
    if (!choice.module) return "one rank, without MPI";
    auto const chosen = std::ranges::find(modules, *choice.module, &module_look::which);
    return chosen->version.empty() ? "nothing: " + chosen->why_not : "the ranks of " + chosen->version;
  }
};

std::string ranks_text(ranks_findings const& found) {
  table t({{}, {}});
  t.add({"launcher", found.launchers.empty() ? "none" : found.launcher()});
  for (module_look const& m : found.modules) {
    t.add({std::string(name_of(m.which)), m.version.empty() ? m.why_not : fmt::format("{}, {}", m.version, m.path)});
  }
  t.add({"run --ranks on", found.runs_on()});
  return section("Ranks", t);
}

json ranks_json(ranks_findings const& found) {
  json modules = json::object();
  for (module_look const& m : found.modules) {
    modules[std::string(word_of(m.which))] = {{"module", m.path},
                                              {"version", m.version.empty() ? json() : json(m.version)},
                                              {"why_not", m.why_not.empty() ? json() : json(m.why_not)}};
  }
  return {{"launcher", found.launchers.empty() ? json() : json(found.launcher())},
          {"mpi", std::move(modules)},
          {"runs_on", found.runs_on()}};
}

/// What the machine lacks, and what apps do.
std::vector<std::string> missing_of(findings const& found) {
  std::vector<std::string> all = found.missing();
  if (std::string const why = apps::hartree_fock::molecules::why_no_integrals(); !why.empty())
    all.push_back("hartree-fock --molecule: " + why);
  if (!has_otf2())
    all.emplace_back("OTF2: this build cannot write it (skua export); it needs libotf2-trace-dev when it is built");
  return all;
}

std::string as_text(findings const& found, ranks_findings const& ranks) {
  std::string text = fmt::format("{}{}{}{}{}Missing\n", machine_text(found), workers_text(found),
                                 mechanisms_text(found), ranks_text(ranks), settings_text(found));
  auto const missing = missing_of(found);
  for (std::string const& m : missing) text += fmt::format("  {}\n", m);
  if (missing.empty()) text += "  nothing\n";
  return text;
}

json quota_json(runtime::cpu_quota const& quota) {
  json all{{"limited", quota.limited()}, {"limits", json::array()}};
  for (runtime::cpu_limit const& l : quota.limits) all["limits"].push_back({{"cpus", l.cpus()}, {"file", l.file}});
  return all;
}

json pages_json(runtime::page_abilities const& pages) {
  auto const ability = [](runtime::page_ability const& a) { return json{{"works", a.works}, {"why", a.why}}; };
  return {{"bind", ability(pages.bind)}, {"locate", ability(pages.locate)}, {"huge", ability(pages.huge)}};
}

json as_json(findings const& found, ranks_findings const& ranks) {
  json settings_shown = json::object();
  for (shown_setting const& s : found.settings_shown()) settings_shown[s.name] = {{"value", s.value}, {"from", s.from}};
  return {{"machine", to_json(found.machine)},
          {"affinity_mask", to_text(found.mask)},
          {"cpu_quota", quota_json(found.quota)},
          {"default_workers", {{"count", found.usual.count}, {"why", found.usual.why}}},
          {"workers", {{"count", found.map.workers()}, {"why", found.facts.why_workers}, {"pins", found.facts.pins}}},
          {"settings", std::move(settings_shown)},
          {"fences",
           {{"kind", found.fence == runtime::fences::asymmetric ? "asymmetric" : "full"}, {"why", found.why_fence}}},
          {"stacks", {{"bytes", found.facts.chosen.stack_bytes.value}, {"guard_bytes", runtime::guard_bytes}}},
          {"memory", pages_json(found.pages)},
          {"ranks", ranks_json(ranks)},
          {"topology", topology_json(found.tree, found.map)},
          {"missing", missing_of(found)}};
}

int execute(arguments const& given) {
  json_target const target(given.json_path);
  findings const found = examine(given.flags.options(), given.flags.machine());
  ranks_findings const ranks;
  if (target.wanted()) target.write(as_json(found, ranks));
  if (!target.takes_stdout()) write_to_stdout(as_text(found, ranks));
  return exit_done;
}

}  // namespace

subcommand add_doctor(parser root) {
  parser const command =
      root.add_subcommand("doctor", "show what Skua finds on this machine, what is missing, and why");
  auto const given = std::make_shared<arguments>();
  given->flags.add_to(command, {});
  add_optional_json(command, given->json_path);
  return {command, [given] { return execute(*given); }};
}

}  // namespace skua::cli
