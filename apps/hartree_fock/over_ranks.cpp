// SPDX-License-Identifier: MIT
#include "apps/hartree_fock/over_ranks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace skua::apps::hartree_fock {

namespace {

constexpr std::uint64_t most_tasks_with_null_ones = 20'000'000;

/// Every rank seeds an equal share of the ids.
void seed(communicator& world, screening const& on, task_collection<std::uint64_t>& all) {
  std::uint64_t const tasks = on.tiles().tasks();
  std::uint64_t const first =
      tasks / world.size() * world.rank() + std::min<std::uint64_t>(world.rank(), tasks % world.size());
  std::uint64_t const last = first + tasks / world.size() + (world.rank() < tasks % world.size() ? 1 : 0);
  if (tasks <= most_tasks_with_null_ones) {
    for (std::uint64_t id = first; id < last; ++id) all.add(id);
  } else {
    for (std::uint64_t const id : on.non_null_ids(first, last)) all.add(id);
  }
}

using task_ids = task_collection<std::uint64_t>;

/// Of a checkpoint.
std::vector<double> numbers_of(std::vector<std::byte> const& state) {
  std::vector<double> numbers(state.size() / sizeof(double));
  std::memcpy(numbers.data(), state.data(), numbers.size() * sizeof(double));
  return numbers;
}

/// `resume`: goes on from the state of a checkpoint. `begin`: before the tasks of each build, also of one that runs again after a loss. `end`: after them; returns the state for a checkpoint.
template <class Problem>
void iterate_all(communicator& world, Problem& p, ranks_plan const& plan, task_ids& tasks,
                 std::function<void(std::vector<double> const&)> const& resume, std::function<void()> const& begin,
                 std::function<std::vector<double>(unsigned iteration)> const& end) {
  std::string const file = checkpoint_file(plan, "hartree-fock");
  if (is_there(world, file)) {
    resume(numbers_of(tasks.restart(file)));
    tasks.restore(plan.balance);
  } else {
    seed(world, p.on(), tasks);
  }
  // Ranks whose arithmetic differs in a last bit must still agree on when to stop.
  unsigned const first = p.field().iterations();
  auto const continues = [&] { return world.max(p.field().done() ? 0.0 : 1.0) > 0; };
  for (unsigned iteration = first; again_after_losses(continues, [&] { tasks.recover(); }); ++iteration) {
    if (iteration > first && !goes_on(tasks, plan)) return;
    iterate(tasks, plan, iteration, file, begin, [&] { return end(iteration); });
  }
}

/// Of a worker that got a task.
struct rank_workplace {
  fock_worker tasks;
  std::vector<double> scratch;
};

}  // namespace

std::uint64_t over_ranks(communicator& world, distributed_problem& p, ranks_plan const& plan) {
  screening const& on = p.on();
  build_blocks blocks(world, on, p.field().density(), p.field().two_electron());
  planned_workers const workers(world, plan);
  std::vector<std::unique_ptr<rank_workplace>> places(world.workers());
  task_ids tasks(world, {.name = "hartree-fock", .victims = plan.victims, .on_loss = plan.on_loss, .footprints = true},
                 [&](task_site<std::uint64_t>& here, std::uint64_t id) {
                   auto& mine = places[here.worker()];
                   if (mine == nullptr) mine = std::make_unique<rank_workplace>(rank_workplace{fock_worker(on), {}});
                   worker_blocks view{blocks, mine->scratch};
                   return mine->tasks.run(on.tiles().quartet_of(id), view) > 0 ? task_outcome::done
                                                                               : task_outcome::null;
                 });
  // Two files in turn: what the last checkpoint needs stays there until the next one is complete.
  std::string const file = checkpoint_file(plan, "hartree-fock");
  auto const prefix = [&](double turn) { return file + (turn > 0 ? ".1" : ".0"); };
  iterate_all(
      world, p, plan, tasks,
      [&](std::vector<double> const& state) {
        if (state.empty()) throw usage_error("hartree-fock: the checkpoint has no state");
        p.resume(std::span(state).subspan(1), prefix(state.front()));
      },
      [&] {
        p.field().begin_build();
        blocks.begin();
      },
      [&](unsigned iteration) {
        blocks.end();
        p.advance();
        if (file.empty()) return std::vector<double>{};
        double const turn = iteration % 2;
        std::vector<double> state = p.field().write(prefix(turn));
        state.insert(state.begin(), turn);
        return state;
      });
  return world.sum(blocks.remote_bytes());
}

void over_ranks_with_copies(communicator& world, problem& p, ranks_plan const& plan) {
  screening const& on = p.on();
  planned_workers const workers(world, plan);
  std::vector<std::unique_ptr<workplace>> places(world.workers());  // of those that got a task
  task_ids tasks(world, {.name = "hartree-fock", .victims = plan.victims, .on_loss = plan.on_loss},
                 [&](task_site<std::uint64_t>& here, std::uint64_t id) {
                   std::unique_ptr<workplace>& mine = places[here.worker()];
                   if (mine == nullptr) mine = std::make_unique<workplace>(on);
                   local_blocks blocks{on, p.field().density(), mine->fock};
                   return mine->tasks.run(on.tiles().quartet_of(id), blocks) > 0 ? task_outcome::done
                                                                                 : task_outcome::null;
                 });
  matrix fock(on.atoms().functions());
  bool is_clean = true;  // collect_row leaves zeros
  auto const begin = [&] {
    for (auto const& place : places) {
      if (!is_clean && place != nullptr) std::ranges::fill(place->fock.elements, 0.0);
    }
    is_clean = false;
  };
  iterate_all(
      world, p, plan, tasks, [&](std::vector<double> const& state) { p.resume(state); }, begin,
      [&](unsigned) {
        std::ranges::fill(fock.elements, 0.0);
        for (std::size_t row = 0; row < on.atoms().functions(); ++row) collect_row(places, row, fock);
        is_clean = true;
        world.sum(fock.elements);
        p.advance(fock);
        return plan.checkpoint.empty() ? std::vector<double>{} : p.field().state();
      });
}

ranks_load load_of(screening const& on) {
  // Table 3's ideal time on 2400 cores, for the integrals of 256 atoms in tiles of 40.
  constexpr double ns_per_integral = 48e9 * 2400 / 33'756'943'796.0;
  ranks_load load{.work = on.integrals_per_task(), .position = {}, .unit_ns = ns_per_integral};
  auto const tasks = static_cast<double>(on.tiles().tasks());
  for (std::uint64_t const id : on.non_null_ids()) load.position.push_back(static_cast<double>(id) / tasks);
  return load;
}

}  // namespace skua::apps::hartree_fock
