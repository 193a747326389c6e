// SPDX-License-Identifier: MIT
// line_counts SCENARIO WORKERS: counts what the runtime's operations cost in cache lines that other threads use, read-modify-writes of these, and
// system calls, while a pool of that many workers runs the scenario. Prints JSON. Without arguments, the names of the scenarios.
//
// The counts are of operations, not of time, so two processors can tell what 64 workers do to each other.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>

#include "skua/skua.hpp"
#include "tests/counts/operations.hpp"
#include "tests/counts/scenarios.hpp"

namespace {

/// Two packages, with a shared cache for every eight cores.
std::string topology_of(unsigned workers) {
  if (workers < 16) return "package:1 numa:1 l3:1 core:" + std::to_string(workers);
  return "package:2 numa:1 l3:" + std::to_string(workers / 16) + " core:8";
}

int count(line_counts::scenario const& s, unsigned workers) {
  line_counts::find_operations();
  skua::pool pool(
      skua::pool_options{.workers = workers, .policy = std::string(s.policy), .topology = topology_of(workers)});
  s.run(pool, s.rounds / 5 + 1);  // so that every worker knows its lines
  line_counts::begin_counting();
  std::uint64_t const units = s.run(pool, s.rounds);
  line_counts::end_counting();
  std::printf(
      "{\"scenario\": \"%s\", \"policy\": \"%s\", \"workers\": %u, \"unit\": \"%s\", \"units\": %llu, \"counts\": "
      "%s}\n",
      std::string(s.name).c_str(), std::string(s.policy).c_str(), workers, std::string(s.unit).c_str(),
      static_cast<unsigned long long>(units), line_counts::counts_as_json(static_cast<double>(units)).c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  auto const all = line_counts::scenarios();
  if (argc == 1) {
    for (auto const& s : all) std::printf("%s\n", std::string(s.name).c_str());
    return 0;
  }
  auto const wanted = std::ranges::find(all, std::string_view(argv[1]), &line_counts::scenario::name);
  if (argc != 3 || wanted == all.end()) {
    std::fputs(
        "line_counts: SCENARIO WORKERS; allowed: a name that line_counts prints without arguments, and 2 to 64\n",
        stderr);
    return 2;
  }
  return count(*wanted, static_cast<unsigned>(std::stoul(argv[2])));
} catch (std::exception const& e) {
  std::fprintf(stderr, "line_counts: %s\n", e.what());
  return 1;
}
