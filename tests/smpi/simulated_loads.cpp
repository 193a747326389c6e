// SPDX-License-Identifier: MIT
// The loads of smpi_loads on our own simulated ranks.
//
//   simulated_loads CLUSTER RANKS [TASKS_PER_RANK [MEAN_US [ITERATIONS [SEED]]]]
#include <algorithm>
#include <exception>
#include <vector>

#include "skua/machine/ranks/simulated/simulated_ranks.hpp"
#include "tests/smpi/loads.hpp"

namespace {

std::uint64_t tasks_not_run_once(std::vector<std::vector<std::uint32_t>> const& executed, std::size_t tasks) {
  std::vector<std::uint32_t> runs(tasks);
  for (auto const& of_rank : executed) {
    for (std::uint32_t const t : of_rank) ++runs[t];
  }
  return static_cast<std::uint64_t>(std::ranges::count_if(runs, [](std::uint32_t n) { return n != 1; }));
}

void run(char const* cluster, std::uint32_t ranks, skua::loads::plan const& plan) {
  std::vector<std::uint64_t> durations = skua::loads::durations_us(plan, ranks);
  for (std::uint64_t& d : durations) d *= 1000;
  skua::ranks::simulated_ranks all(skua::ranks::cluster_named(cluster), ranks, durations, {.seed = plan.seed});
  std::vector<std::vector<std::uint32_t>> lists(ranks);
  for (std::uint32_t t = 0; t < durations.size(); ++t) lists[t / plan.tasks_per_rank].push_back(t);
  for (std::uint32_t i = 1; i <= plan.iterations; ++i) {
    for (std::uint32_t r = 0; r < ranks; ++r) {
      for (std::uint32_t const t : lists[r]) all.seed(r, t);
    }
    skua::ranks::simulated_iteration const now = all.process();
    lists = all.executed();
    skua::loads::print({i, now.attempted.mean * ranks, now.successful.mean * ranks, now.moved,
                        tasks_not_run_once(lists, durations.size()), now.seconds});
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("simulated_loads CLUSTER RANKS [TASKS_PER_RANK [MEAN_US [ITERATIONS [SEED]]]]\n", stderr);
    return 2;
  }
  try {
    run(argv[1], static_cast<std::uint32_t>(std::strtoul(argv[2], nullptr, 10)), skua::loads::plan_of(argc, argv, 3));
  } catch (std::exception const& e) {
    std::fprintf(stderr, "simulated_loads: %s\n", e.what());
    return 1;
  }
}
