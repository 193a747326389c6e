// SPDX-License-Identifier: MIT
#include "cli/study/conditions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "cli/probes/samples.hpp"

namespace skua::cli {
namespace {

std::string first_line_of(std::string const& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

/// A chain of multiplications, each of which waits for the one before.
double loop_ns() {
  static std::uint64_t volatile start = 3;
  return ns_of([] {
    std::uint64_t x = start;
    for (int i = 0; i < 400'000; ++i) x = x * x + 1;
    start = x | 1;
  });
}

double clock_spread() {
  samples const seen = apps::spread_of(repeated(40, loop_ns));
  return seen.high / seen.low - 1;
}

}  // namespace

processor_ticks read_ticks(std::string const& first_line) {
  std::istringstream in(first_line);
  std::string name;
  in >> name;
  if (name != "cpu") return {};
  processor_ticks found;
  double ticks = 0;
  for (int column = 0; column < 8 && in >> ticks; ++column) {
    found.all += ticks;
    if (column == 3 || column == 4) found.idle += ticks;
    if (column == 7) found.stolen = ticks;
  }
  return found;
}

processor_ticks ticks_now() { return read_ticks(first_line_of("/proc/stat")); }

json conditions_since(processor_ticks const& before) {
  processor_ticks const now = ticks_now();
  double const all = now.all - before.all;
  std::string const load = first_line_of("/proc/loadavg");
  return {{"stolen", all > 0 ? json((now.stolen - before.stolen) / all) : json()},
          {"load_average", load.empty() ? json() : json(std::strtod(load.c_str(), nullptr))},
          {"clock_spread", clock_spread()}};
}

std::vector<std::string> doubts_about_machine(unsigned usable_pus, double load_average) {
  std::vector<std::string> all;
  std::string const governor = first_line_of("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  if (!governor.empty() && governor != "performance")
    all.push_back(
        fmt::format("the frequency governor is {}: short runs may be timed at a lower clock than long ones", governor));
  if (usable_pus < 2) all.emplace_back("one processor is usable: nothing here scales");
  if (load_average > 0.3)
    all.push_back(fmt::format("the load average was {:.2f} at the start: other programs were running", load_average));
  return all;
}

}  // namespace skua::cli
