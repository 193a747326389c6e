// SPDX-License-Identifier: MIT
#include "apps/hartree_fock/over_ranks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
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

}  // namespace

void over_ranks(communicator& world, problem& p, ranks_plan const& plan) {
  screening const& on = p.on();
  planned_workers const workers(world, plan);
  std::vector<std::unique_ptr<workplace>> places(world.workers());  // of those that got a task
  auto const run = [&](task_site<std::uint64_t>& here, std::uint64_t id) {
    std::unique_ptr<workplace>& mine = places[here.worker()];
    if (mine == nullptr) mine = std::make_unique<workplace>(on);
    local_blocks blocks{on, p.field().density(), mine->fock};
    return mine->tasks.run(on.tiles().quartet_of(id), blocks) > 0 ? task_outcome::done : task_outcome::null;
  };
  task_collection<std::uint64_t> tasks(world, {.name = "hartree-fock", .on_loss = plan.on_loss}, run);
  std::string const file = checkpoint_file(plan, "hartree-fock");
  if (is_there(world, file)) {
    std::vector<std::byte> const state = tasks.restart(file);
    std::vector<double> numbers(state.size() / sizeof(double));
    std::memcpy(numbers.data(), state.data(), numbers.size() * sizeof(double));
    p.resume(numbers);
    tasks.restore(plan.balance);
  } else {
    seed(world, on, tasks);
  }
  matrix fock(on.atoms().functions());
  // Ranks whose arithmetic differs in a last bit must still agree on when to stop.
  unsigned const first = p.field().iterations();
  auto const continues = [&] { return world.max(p.field().done() ? 0.0 : 1.0) > 0; };
  bool is_clean = true;  // collect_row leaves zeros
  auto const begin = [&] {
    for (auto const& place : places) {
      if (!is_clean && place != nullptr) std::ranges::fill(place->fock.elements, 0.0);
    }
    is_clean = false;
  };
  for (unsigned iteration = first; again_after_losses(continues, [&] { tasks.recover(); }); ++iteration) {
    if (iteration > first && !goes_on(tasks, plan)) return;
    iterate(tasks, plan, iteration, file, begin, [&] {
      std::ranges::fill(fock.elements, 0.0);
      for (std::size_t row = 0; row < on.atoms().functions(); ++row) collect_row(places, row, fock);
      is_clean = true;
      world.sum(fock.elements);
      p.advance(fock);
      return file.empty() ? std::vector<double>{} : p.field().state();
    });
  }
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
