// SPDX-License-Identifier: MIT
// SKUA_VERSION, SKUA_COMPILER and SKUA_BUILD_TYPE come from CMakeLists.txt.
#include "cli/probes/machine_facts.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "apps/timing.hpp"
#include "skua/parts/topology/affinity.hpp"

namespace skua::cli {
machine_facts look_at_machine() {
  apps::machine_words words = apps::this_machine();
  return {.cpu = std::move(words.cpu),
          .pus = static_cast<unsigned>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN))),
          .usable_pus = runtime::affinity_of_this_thread().size(),
          .kernel = std::move(words.kernel),
          .compiler = SKUA_COMPILER,
          .build_type = SKUA_BUILD_TYPE,
          .skua_version = SKUA_VERSION,
          .load_average = words.load_average};
}

json to_json(machine_facts const& facts) {
  return {{"cpu", facts.cpu},
          {"pus", facts.pus},
          {"usable_pus", facts.usable_pus},
          {"kernel", facts.kernel},
          {"compiler", facts.compiler},
          {"build_type", facts.build_type},
          {"skua_version", facts.skua_version},
          {"load_average", facts.load_average < 0 ? json() : json(facts.load_average)}};
}

std::string to_text(machine_facts const& facts) {
  std::string const load = facts.load_average < 0 ? "not known" : fmt::format("{:.2f}", facts.load_average);
  return fmt::format("{}, {} of {} PUs usable, {}\nskua {}, {}, {}; load average {}\n", facts.cpu, facts.usable_pus,
                     facts.pus, facts.kernel, facts.skua_version, facts.compiler, facts.build_type, load);
}

}  // namespace skua::cli
