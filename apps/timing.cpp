// SPDX-License-Identifier: MIT
#include "apps/timing.hpp"

#include <sys/utsname.h>

#include <cstdlib>
#include <fstream>
#include <string_view>

namespace skua::apps {
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
  return std::string(names.sysname) + " " + names.release + " " + names.machine;
}

}  // namespace

machine_words this_machine() {
  double load = -1;
  if (::getloadavg(&load, 1) != 1) load = -1;
  return {cpu_model(), kernel(), load};
}

}  // namespace skua::apps
