// SPDX-License-Identifier: MIT
// SKUA_VERSION, SKUA_COMPILER and SKUA_BUILD_TYPE come from CMakeLists.txt.
#include "cli/probes/machine_facts.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string_view>

#include "skua/parts/topology/affinity.hpp"

namespace skua::cli {
namespace {

/// The key is "model name" on x86, "cpu model", "Hardware" or "Processor" elsewhere; AArch64 kernels mostly give none.
std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    for (std::string_view const key : {"model name", "cpu model", "Hardware", "Processor"}) {
      if (!line.starts_with(key)) continue;
      auto const colon = line.find(": ");
      if (colon != std::string::npos) return line.substr(colon + 2);
    }
  }
  return "not known";
}

std::string kernel() {
  utsname names{};
  if (::uname(&names) != 0) return "not known";
  return fmt::format("{} {} {}", names.sysname, names.release, names.machine);
}

}  // namespace

machine_facts look_at_machine() {
  double load = -1;
  if (::getloadavg(&load, 1) != 1) load = -1;
  return {.cpu = cpu_model(),
          .pus = static_cast<unsigned>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN))),
          .usable_pus = runtime::affinity_of_this_thread().size(),
          .kernel = kernel(),
          .compiler = SKUA_COMPILER,
          .build_type = SKUA_BUILD_TYPE,
          .skua_version = SKUA_VERSION,
          .load_average = load};
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
