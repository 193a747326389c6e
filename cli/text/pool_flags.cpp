// SPDX-License-Identifier: MIT
#include "cli/text/pool_flags.hpp"

#include "cli/text/option_values.hpp"
#include "cli/text/output.hpp"
#include "skua/parts/base/options.hpp"
#include "skua/parts/base/unknown_variables.hpp"
#include "skua/parts/topology/cgroup.hpp"
#include "skua/parts/topology/default_workers.hpp"
#include "skua/parts/topology/places.hpp"

namespace skua::cli {

void pool_flags::add_to(parser command, offer which) {
  command = command.in_group("Pool");
  runs_ = which.running;
  if (which.policy)
    command.add_option("--policy", policy_, "NAME",
                       "the scheduler: NAME or NAME:OPTION,OPTION, see skua list (default: SKUA_POLICY, else auto)");
  if (which.workers)
    command.add_option("--workers", workers_, "N",
                       "1 to 65536 (default: SKUA_WORKERS, otherwise as affinity mask and CPU quota allow)");
  command
      .add_option("--places", places_, "LIST",
                  "the places, written as for OMP_PLACES (default: SKUA_PLACES, else one per L3 cache)")
      .refuses_empty();
  if (which.running) {
    command.add_option(
        "--partitions", partitions_, "FILE",
        "which workers may run a task together, for arms (default: SKUA_PARTITIONS, else from the topology)");
    command.add_option(
        "--history", history_, "FILE",
        "where auto and arms keep what they learn from run to run (default: SKUA_HISTORY, else nowhere)");
    command.add_option("--trace", trace_, "FILE",
                       "write a trace for skua report (default: SKUA_TRACE, otherwise none)");
    command.add_option("--pin", pin_, "on|off",
                       "bind workers to processors (default: SKUA_PIN, else on if every usable PU gets one worker)");
    command.add_option("--spin", spin_, "TIME",
                       "how long an idle worker searches before it sleeps (default: SKUA_SPIN, else 50us)");
    command.add_option("--count-forks", count_forks_, "on|off",
                       "count forks, which makes them slower (default: SKUA_COUNT_FORKS, else off)");
    command.add_option("--stack", stack_, "SIZE", "size of a task's stack, e.g. 256k (default: SKUA_STACK, else 8m)");
  }
  command.add_option("--synthetic", synthetic_, "TOPOLOGY",
                     "pretend to run on this machine, e.g. \"package:2 core:4\"");
  command.add_option("--xml", xml_, "FILE", "pretend to run on the machine in this XML file of hwloc's lstopo");
  command.add_flag("--scatter", scatter_, "spread the workers over the machine instead of packing them");
}

std::string pool_flags::file_of_machine() const {
  if (*xml_ != "-") return xml_->find('/') != std::string::npos ? *xml_ : "./" + *xml_;  // whatever its name ends in
  if (runs_) throw usage_error("--xml is '-'; allowed: the path of a file; only skua topology reads standard input");
  return "/dev/stdin";
}

pool_options pool_flags::options() const {
  pool_options all;
  if (synthetic_ && xml_) refuse_together("--synthetic", "--xml", "each describes the whole machine");
  if (workers_) all.workers = runtime::read_workers("--workers", *workers_);
  all.policy = policy_;
  if (places_) {
    static_cast<void>(runtime::read_places("--places", *places_));
    all.places = places_;
  }
  all.partitions = partitions_;
  all.history = history_;
  all.trace = trace_;
  if (pin_) all.pin = runtime::read_switch("--pin", *pin_);
  if (spin_) all.spin = runtime::read_duration("--spin", *spin_);
  if (count_forks_) all.count_forks = runtime::read_switch("--count-forks", *count_forks_);
  if (stack_) all.stack_bytes = runtime::read_stack_bytes("--stack", *stack_);
  all.topology = synthetic_;
  if (xml_) all.topology = file_of_machine();
  all.scatter = scatter_;
  return all;
}

topology pool_flags::machine() const {
  pool_options const sound = options();
  return sound.topology ? topology::named(*sound.topology) : topology::machine();
}

runtime::described_machine pool_flags::described_machine() const {
  pool_options const sound = options();
  if (!sound.topology) return runtime::read_this_machine();
  if (xml_) return runtime::read_xml_machine(*sound.topology);
  return {topology::named(*sound.topology), {}};
}

runtime::settings effective_settings(pool_options const& chosen) {
  runtime::settings all = runtime::settings_from_environment(runtime::process_environment());
  runtime::warn_of_unknown_variables();
  if (chosen.workers) all.workers.set(*chosen.workers);
  if (chosen.places) all.places.set(*chosen.places);
  if (chosen.policy) all.policy.set(*chosen.policy);
  return all;
}

layout layout_of(topology const& machine, pool_options const& chosen) {
  runtime::settings const all = effective_settings(chosen);
  return layout{machine,
                {.workers = all.workers.value,
                 .at_most = runtime::count_default_workers(machine, runtime::read_cpu_quota()).count,
                 .order = chosen.scatter ? runtime::spread::scatter : runtime::spread::compact,
                 .places = all.places.value,
                 .places_from = all.places.source == "code" ? "--places" : all.places.source}};
}

}  // namespace skua::cli
