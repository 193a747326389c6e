// SPDX-License-Identifier: MIT
#include "skua/machine/threads/engine/history/run_identity.hpp"

#include <sys/utsname.h>

#include <set>
#include <string_view>

#include "skua/machine/threads/engine/history/code_place.hpp"
#include "skua/parts/base/file.hpp"

namespace skua { inline namespace v0 { namespace runtime {
namespace {

/// The value of the first line of /proc/cpuinfo that begins so; empty: there is none.
std::string word_of(std::string const& cpuinfo, std::string_view key) {
  for (std::size_t at = 0; at < cpuinfo.size();) {
    std::size_t const end = std::min(cpuinfo.find('\n', at), cpuinfo.size());
    std::string_view const line = std::string_view(cpuinfo).substr(at, end - at);
    at = end + 1;
    std::size_t const colon = line.find(": ");
    if (line.starts_with(key) && colon != std::string_view::npos) return std::string(line.substr(colon + 2));
  }
  return {};
}

std::string name_of_processor() {
  std::string const cpuinfo = read_file("/proc/cpuinfo", std::size_t{1} << 24).text;
  std::string name = word_of(cpuinfo, "model name");
  if (name.empty()) {
    utsname known{};
    if (::uname(&known) == 0) name = known.machine;
    for (std::string_view const key : {"CPU implementer", "CPU part"}) {  // AArch64 tells no name
      if (std::string const word = word_of(cpuinfo, key); !word.empty()) name += " " + word;
    }
  }
  return name.empty() ? "unknown processor" : name;
}

std::string counted(std::size_t n, char const* noun) { return std::to_string(n) + " " + noun + (n == 1 ? "" : "s"); }

}  // namespace

run_identity identity_of(layout const& map) {
  std::size_t cores = 0;
  std::set<std::uint32_t> nodes, packages;
  for (std::uint32_t w = 0; w < map.workers(); ++w) {
    worker_id const id{w};
    constexpr std::uint32_t same_core = 1;
    if (w == 0 || map.distance(worker_id{w - 1}, id) > same_core) ++cores;
    nodes.insert(map.numa_of(id));
    packages.insert(map.package_of(id));
  }
  return {.program = name_of_program(),
          .machine = name_of_processor() + ", workers on " + counted(cores, "core") + ", " +
                     counted(nodes.size(), "NUMA node") + ", " + counted(packages.size(), "package"),
          .workers = map.workers()};
}

}}}  // namespace skua::v0::runtime
