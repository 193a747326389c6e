// SPDX-License-Identifier: MIT
// SKUA_VERSION, SKUA_COMPILER and SKUA_BUILD_TYPE come from CMakeLists.txt.
#include "cli/probes/machine_facts.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/timing.hpp"
#include "skua/parts/base/file.hpp"
#include "skua/parts/topology/affinity.hpp"

namespace skua::cli {
namespace {

/// A file of one line; empty if it cannot be read.
std::string line_of(std::string const& path) {
  std::string text = runtime::read_file(path, 4096).text;
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

/// "48K", "1M", "32768"; 0: something else.
std::size_t bytes_of(std::string_view text) {
  std::size_t count = 0;
  auto const [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), count);
  std::string_view const unit(end, text.data() + text.size());
  if (wrong != std::errc{}) return 0;
  if (unit == "K") return count << 10;
  if (unit == "M") return count << 20;
  return unit.empty() ? count : 0;
}

}  // namespace

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

std::size_t first_level_bytes_in(std::string const& folder) {
  for (char const index : std::string_view{"0123"}) {
    std::string const path = folder + "/index" + index + "/";
    std::string const type = line_of(path + "type");
    if (line_of(path + "level") == "1" && (type == "Data" || type == "Unified"))
      return bytes_of(line_of(path + "size"));
  }
  return 0;
}

std::size_t first_level_bytes_of_this_thread() {
  std::vector<std::uint32_t> const allowed = runtime::affinity_of_this_thread().members();
  if (allowed.empty()) return 0;
  return first_level_bytes_in(fmt::format("/sys/devices/system/cpu/cpu{}/cache", allowed.front()));
}

}  // namespace skua::cli
