// SPDX-License-Identifier: MIT
#include "apps/tce/over_ranks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace skua::apps::tce {

namespace {

/// Every rank seeds its share of the tasks, by (k, l): tasks one after the other use the same row of B, which most of them must get from another rank.
void seed(communicator& world, contraction const& on, task_collection<std::uint32_t>& all) {
  std::vector<std::uint32_t> own(first_task(on, world.rank() + 1, world.size()) -
                                 first_task(on, world.rank(), world.size()));
  std::iota(own.begin(), own.end(), static_cast<std::uint32_t>(first_task(on, world.rank(), world.size())));
  std::ranges::stable_sort(own, {}, [&](std::uint32_t t) { return std::pair(on.tasks()[t].r, on.tasks()[t].s); });
  for (std::uint32_t const t : own) all.add(t);
}

/// How many contractions the killed job had done.
unsigned done_in(std::vector<std::byte> const& state) {
  double done = 0;
  if (state.size() == sizeof done) std::memcpy(&done, state.data(), sizeof done);
  return static_cast<unsigned>(done);
}

/// `footprints`: whether the collection measures them. `run`: a task on a worker. `begin` and `complete`: before and after the tasks of a contraction.
void iterate_all(communicator& world, contraction const& on, unsigned iterations, ranks_plan const& plan,
                 bool footprints, std::function<void(std::uint32_t worker, tile_index const& task)> const& run,
                 std::function<void()> const& begin, std::function<void()> const& complete) {
  task_collection<std::uint32_t> tasks(
      world, {.name = "tce", .victims = plan.victims, .on_loss = plan.on_loss, .footprints = footprints},
      [&](task_site<std::uint32_t>& here, std::uint32_t task) { run(here.worker(), on.tasks()[task]); });
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
    if (!first && !goes_on(tasks, plan)) return;
    unsigned const next = iteration + 1;
    iterate(tasks, plan, iteration, file, begin, [&] {
      complete();
      return std::vector<double>{static_cast<double>(next)};
    });
    iteration = next;
  }
}

/// Of a worker that got a task.
struct workplace {
  contraction_worker products;
  worker_tiles tiles;
};

}  // namespace

void over_ranks(communicator& world, contraction const& on, gemm const& by, distributed_tensors& with,
                unsigned iterations, ranks_plan const& plan) {
  planned_workers const workers(world, plan);
  std::vector<std::unique_ptr<workplace>> places(world.workers());
  auto const run = [&](std::uint32_t worker, tile_index const& task) {
    auto& mine = places[worker];
    if (mine == nullptr) mine = std::make_unique<workplace>(contraction_worker(on, by), worker_tiles(with));
    mine->tiles.begin_task();
    mine->products.run(task, mine->tiles);
  };
  iterate_all(world, on, iterations, plan, true, run, [&] { with.clear_c(); }, [&] { with.complete_c(); });
}

void over_ranks_with_copies(communicator& world, contraction const& on, gemm const& by, tensors& with,
                            unsigned iterations, ranks_plan const& plan) {
  planned_workers const workers(world, plan);
  std::vector<std::unique_ptr<contraction_worker>> places(world.workers());
  auto const run = [&](std::uint32_t worker, tile_index const& task) {
    auto& mine = places[worker];
    if (mine == nullptr) mine = std::make_unique<contraction_worker>(on, by);
    mine->run(task, with);
  };
  iterate_all(world, on, iterations, plan, false, run, [&] { with.clear_c(); }, [] {});
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
