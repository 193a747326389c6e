// SPDX-License-Identifier: MIT
// A collection on the ranks of SimGrid's SMPI: the transport and the collections of every MPI, and a task is a usleep, which takes virtual time there.
//
//   smpirun -np RANKS ... smpi_loads [TASKS_PER_RANK [MEAN_US [ITERATIONS [SEED]]]]
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "skua/mpi.hpp"
#include "tests/smpi/loads.hpp"

namespace {

struct load {
  std::uint32_t number;
  std::uint32_t us;
};

}  // namespace

int main(int argc, char** argv) {
  skua::loads::plan const plan = skua::loads::plan_of(argc, argv, 1);
  skua::mpi::session session(argc, argv);
  skua::communicator& world = session.world();
  std::vector<std::uint64_t> const durations = skua::loads::durations_us(plan, world.size());
  std::vector<double> runs(durations.size());
  skua::task_collection<load> tasks(world, {.name = "loads", .seed = plan.seed}, [&](load const& l) {
    usleep(l.us);
    ++runs[l.number];
  });
  for (std::uint32_t t = 0; t < plan.tasks_per_rank; ++t) {
    std::uint32_t const number = world.rank() * plan.tasks_per_rank + plan.tasks_per_rank - 1 - t;  // the newest first
    tasks.add({number, static_cast<std::uint32_t>(durations[number])});
  }
  for (std::uint32_t i = 1; i <= plan.iterations; ++i) {
    std::ranges::fill(runs, 0);
    tasks.process();
    world.sum(runs);
    skua::collection_report const r = tasks.report();
    auto const not_once =
        static_cast<std::uint64_t>(std::ranges::count_if(runs, [](double n) { return n < 0.5 || n > 1.5; }));
    if (world.rank() == 0) {
      skua::loads::print(
          {i, static_cast<double>(r.attempted), static_cast<double>(r.successful), r.moved, not_once, r.seconds});
    }
    tasks.restore();
  }
  return 0;
}
