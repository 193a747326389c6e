// SPDX-License-Identifier: MIT
#include "apps/uts/over_ranks.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "skua/parts/base/error.hpp"

namespace skua::apps::uts {

namespace {

struct subtree {
  node root;
  std::uint32_t born;  ///< children of the root: drawn when it was met
};

}  // namespace

tally over_ranks(communicator& world, tree const& which, ranks_plan const& plan) {
  if (!plan.checkpoint.empty()) {
    throw usage_error("--checkpoint is given with uts, which has one iteration; allowed: hartree-fock");
  }
  planned_workers const workers(world, plan);
  struct alignas(64) its_tally {
    tally seen;
  };
  std::vector<its_tally> by_worker(world.workers());
  task_collection<subtree> tasks(world, {.name = "uts", .victims = plan.victims, .on_loss = plan.on_loss},
                                 [&](task_site<subtree>& here, subtree const& t) {
                                   tally& seen = by_worker[here.worker()].seen;
                                   for (std::uint32_t i = 0; i < t.born; ++i) {
                                     node const drawn = child(t.root, i);
                                     std::uint32_t const its = which.children_of(drawn);
                                     seen = seen + tally{1, its == 0 ? 1U : 0U, drawn.depth};
                                     if (its > 0) here.spawn({drawn, its});
                                   }
                                 });
  node const root = which.root();
  std::uint32_t const born = which.children_of(root);
  if (world.rank() == 0 && born > 0) tasks.add({root, born});
  tally of_all;
  auto const begin = [&] {
    std::ranges::fill(by_worker, its_tally{});
    if (world.rank() == world.first_live()) by_worker[0].seen = {1, born == 0 ? 1U : 0U, 0};
  };
  iterate(tasks, plan, 0, {}, begin, [&] {
    tally seen;
    for (its_tally const& t : by_worker) seen = seen + t.seen;
    of_all = {world.sum(seen.nodes), world.sum(seen.leaves),
              static_cast<std::uint32_t>(world.max(static_cast<double>(seen.depth)))};
    return std::vector<double>{};
  });
  return of_all;
}

}  // namespace skua::apps::uts
