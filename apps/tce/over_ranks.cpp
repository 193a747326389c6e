// SPDX-License-Identifier: MIT
#include "apps/tce/over_ranks.hpp"

#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace skua::apps::tce {

namespace {

/// Every rank seeds an equal share of the tasks, which lie as they do in C.
void seed(communicator& world, contraction const& on, task_collection<std::uint32_t>& all) {
  std::uint64_t const tasks = on.tasks().size();
  std::uint64_t const first = tasks * world.rank() / world.size();
  std::uint64_t const last = tasks * (world.rank() + 1) / world.size();
  for (std::uint64_t t = first; t < last; ++t) all.add(static_cast<std::uint32_t>(t));
}

/// How many contractions the killed job had done.
unsigned done_in(std::vector<std::byte> const& state) {
  double done = 0;
  if (state.size() == sizeof done) std::memcpy(&done, state.data(), sizeof done);
  return static_cast<unsigned>(done);
}

}  // namespace

void over_ranks(communicator& world, contraction const& on, gemm const& by, tensors& with, unsigned iterations,
                ranks_plan const& plan) {
  planned_workers const workers(world, plan);
  std::vector<std::unique_ptr<contraction_worker>> places(world.workers());  // of those that got a task
  auto const run = [&](task_site<std::uint32_t>& here, std::uint32_t task) {
    auto& mine = places[here.worker()];
    if (mine == nullptr) mine = std::make_unique<contraction_worker>(on, by);
    mine->run(on.tasks()[task], with);
  };
  task_collection<std::uint32_t> tasks(world, {.name = "tce", .on_loss = plan.on_loss}, run);
  std::string const file = checkpoint_file(plan, "tce");
  unsigned iteration = 0;
  if (is_there(world, file)) {
    iteration = done_in(tasks.restart(file));
    tasks.restore(plan.balance);
  } else {
    seed(world, on, tasks);
  }
  // A job that was killed after its last iteration has its file, but not its C.
  for (bool first = true; first || iteration < iterations; first = false) {
    if (!first && !plan.goes_on()) return;
    with.clear_c();
    iterate(tasks, plan, iteration++, file, [&] { return std::vector<double>{static_cast<double>(iteration)}; });
  }
}

ranks_load load_of(contraction const& on) {
  // Assumed: four of the 8.4 Gflop/s of a core of Hopper, with tiles of 20. The paper does not say.
  constexpr double ns_per_flop = 0.25;
  ranks_load load{.work = {}, .position = {}, .unit_ns = ns_per_flop};
  auto const tasks = static_cast<double>(on.tasks().size());
  for (std::size_t t = 0; t < on.tasks().size(); ++t) {
    load.work.push_back(on.flops(on.tasks()[t]));
    load.position.push_back(static_cast<double>(t) / tasks);
  }
  return load;
}

}  // namespace skua::apps::tce
