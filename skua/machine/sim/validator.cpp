// SPDX-License-Identifier: MIT
#include "skua/machine/sim/validator.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "skua/machine/sim/checker.hpp"

namespace skua { inline namespace v0 { namespace sim {
namespace {

std::string name_of(worker_id w) { return "worker " + std::to_string(index(w)); }

std::uint64_t most_fruitless(std::uint32_t workers, rules const& by) {
  return by.most_fruitless != 0 ? by.most_fruitless : 1000 + 200 * std::uint64_t{workers};
}

void check_times(run_result const& result, task_tree const& program, layout const& where, rules const& by,
                 std::vector<std::string>& faults) {
  totals const all = weigh(program, by);
  double const makespan = static_cast<double>(result.makespan);
  double const workers = where.workers();
  bool const anything_sent = std::ranges::any_of(result.workers, [](worker_counters const& t) { return t.sent > 0; });
  rules free_forks = by;
  free_forks.fork_ticks = 0;
  double const span = anything_sent ? weigh(program, free_forks).span : all.span;  // sending changes the order of forks
  if (makespan * workers < all.work)
    faults.push_back("makespan " + std::to_string(result.makespan) + " < work / workers");
  if (makespan < span) faults.push_back("makespan " + std::to_string(result.makespan) + " < span");
  double const busy =
      std::accumulate(result.workers.begin(), result.workers.end(), 0.0,
                      [](double sum, worker_counters const& t) { return sum + static_cast<double>(t.busy); });
  if (busy != all.work) {
    faults.push_back("the workers were busy for " + std::to_string(busy) + " ticks, not for the work");
  }
  if (where.workers() > 1) return;
  if (makespan != all.work)
    faults.push_back("one worker took " + std::to_string(result.makespan) + " ticks, not the work");
  if (result.order != order_on_one_worker(program))
    faults.push_back("one worker ran in another order than the program's");
}

}  // namespace

validator::validator(policy& scheduler, std::uint32_t workers, rules const& by)
    : checked_(scheduler, workers,
               {.aborts = false, .most_refusals = by.slot_refusals_allowed ? most_fruitless(workers, by) : 0}),
      most_(most_fruitless(workers, by)), of_(workers) {}

std::vector<std::string> validator::take() {
  if (content() && checked_.open_groups() != 0) fault("an exposed group was never left");
  std::vector<std::string> all = checked_.breaches();
  all.insert(all.end(), faults_.begin(), faults_.end());
  return all;
}

void validator::fault_of(worker_id self, patience const& left) {
  if (left.hungry > most_) {
    fault(name_of(self) + " starves: " + std::to_string(left.hungry) + " answers brought nothing while there was work");
  }
  if (left.restless > most_) {
    fault(name_of(self) + " never rests: " + std::to_string(left.restless) + " probes in a row brought nothing");
  }
}

std::vector<std::string> faults_of(run_result const& result, task_tree const& program, layout const& where,
                                   rules const& by) {
  std::vector<std::string> faults = result.faults;
  if (!result.finished) faults.push_back("the run did not end");
  if (!faults.empty()) return faults;
  check_turns(result, program, faults);
  check_times(result, program, where, by, faults);
  check_steals(result, where, faults);
  return faults;
}

std::vector<tree_node_id> order_on_one_worker(task_tree const& program) {
  std::vector<tree_node_id> order;
  std::vector<tree_node_id> ahead{0};
  while (!ahead.empty()) {
    tree_node_id const id = ahead.back();
    ahead.pop_back();
    if (is_run(program[id].kind)) order.push_back(id);
    auto const mark = static_cast<std::ptrdiff_t>(ahead.size());
    auto const append = [&](bool tasks) {
      for (tree_node_id c = program[id].first; c != no_tree_node; c = program[c].next) {
        if ((program[c].kind == tree_node_kind::task) == tasks) ahead.push_back(c);
      }
    };
    // The end of `ahead` comes first: a scope's tasks as they are (newest first), everything else turned around.
    append(true);
    if (program[id].kind != tree_node_kind::scope) std::reverse(ahead.begin() + mark, ahead.end());
    auto const steps = static_cast<std::ptrdiff_t>(ahead.size());
    append(false);
    std::reverse(ahead.begin() + steps, ahead.end());
  }
  return order;
}

totals weigh(task_tree const& program, rules const& by) {
  return program.weigh([&](tree_node_id id) { return static_cast<double>(ticks_of(program, id, by)); },
                       static_cast<double>(by.fork_ticks));
}

}}}  // namespace skua::v0::sim
