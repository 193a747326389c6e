// SPDX-License-Identifier: MIT
#include "cli/pool_flags.hpp"

#include <CLI/CLI.hpp>

#include "skua/parts/base/options.hpp"
#include "skua/parts/topology/cgroup.hpp"
#include "skua/parts/topology/default_workers.hpp"
#include "skua/parts/topology/places.hpp"

namespace skua::cli {

void pool_flags::add_to(CLI::App& words, offer which) {
  constexpr auto group = "Pool";
  auto const add = [&](char const* name, std::optional<std::string>& value, char const* about) {
    return words.add_option(name, value, about)->group(group)->type_name("");
  };
  if (which.policy) add("--policy", policy_, "P  the scheduler, a name of `skua list` [SKUA_POLICY, random]");
  if (which.workers) add("--workers", workers_, "N  1 to 65536 [SKUA_WORKERS; affinity mask and CPU quota]");
  add("--places", places_, "L  what makes up a place, as in OMP_PLACES [SKUA_PLACES; L3 caches]");
  if (which.running) {
    add("--pin", pin_, "on|off  bind workers to processors [SKUA_PIN; the machine decides]");
    add("--spin", spin_, "T  how long an idle worker searches, e.g. 50us [SKUA_SPIN]");
    add("--stack", stack_, "S  size of a task's stack, e.g. 256k [SKUA_STACK]");
  }
  auto* const synthetic = add("--synthetic", synthetic_, "D  pretend to be this machine, e.g. \"package:2 core:4\"");
  add("--xml", xml_, "F  pretend to be the machine of this hwloc file")->excludes(synthetic);
  words.add_flag("--scatter", scatter_, "spread workers over the machine")->group(group);
}

pool_options pool_flags::options() const {
  pool_options all;
  if (workers_) all.workers = read_workers("--workers", *workers_);
  all.policy = policy_;
  if (places_ && !places_->empty()) {
    static_cast<void>(read_places("--places", *places_));
    all.places = places_;
  }
  if (pin_) all.pin = read_switch("--pin", *pin_);
  if (spin_) all.spin = read_duration("--spin", *spin_);
  if (stack_) all.stack_bytes = read_stack_bytes("--stack", *stack_);
  all.synthetic = synthetic_;
  all.xml = xml_;
  all.scatter = scatter_;
  return all;
}

topology pool_flags::machine() const {
  if (synthetic_) return topology::synthetic(*synthetic_);
  if (xml_) return topology::from_xml(*xml_);
  return topology::machine();
}

settings effective_settings(pool_options const& chosen) {
  settings all = settings_from_environment(process_environment());
  if (chosen.workers) all.workers.set(*chosen.workers);
  if (chosen.places) all.places.set(*chosen.places);
  return all;
}

layout layout_of(topology const& machine, pool_options const& chosen) {
  settings const all = effective_settings(chosen);
  return layout{machine,
                {.workers = all.workers.value,
                 .at_most = count_default_workers(machine, read_cpu_quota()).count,
                 .order = chosen.scatter ? spread::scatter : spread::compact,
                 .places = all.places.value,
                 .places_from = all.places.from == "code" ? "--places" : all.places.from}};
}

}  // namespace skua::cli
