// SPDX-License-Identifier: MIT
#include "cli/simulate/advice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/text/report.hpp"

namespace skua::cli {
namespace {

// Thresholds from which on a figure is worth advice.
constexpr double little_slack = 4;        // parallelism per worker
constexpr double much_idling = 0.15;      // of the workers' time
constexpr double much_scheduling = 0.05;  // of the workers' time
constexpr double fine_grain_s = 1e-6;     // of a leaf
constexpr double heavy_burden = 2;        // parallelism over burdened parallelism
constexpr double many_uneven = 0.1;       // of the groups that matter
constexpr double much_memory = 0.25;      // of the workers' time
constexpr double mostly_remote = 0.5;     // of the bytes that no near cache had
constexpr double much_queueing = 0.1;     // of the workers' time
constexpr double uneven_from = 1.5;       // largest child over the mean

std::string percent(double of_one) { return in_percent(of_one, 0); }

std::vector<double> works_below(task_tree const& tree, std::vector<double> const& taken_s) {
  std::vector<double> all(tree.size());
  for (tree_node_id i = tree.size(); i-- > 0;) {
    all[i] += i < taken_s.size() ? taken_s[i] : 0;
    if (tree[i].parent != no_tree_node) all[tree[i].parent] += all[i];
  }
  return all;
}

void count_groups(task_tree const& tree, std::vector<double> const& below, double least_s, scalability& into) {
  for (tree_node_id i = 0; i < tree.size(); ++i) {
    tree_node const& n = tree[i];
    if (n.kind != tree_node_kind::join && n.kind != tree_node_kind::each && n.kind != tree_node_kind::scope) continue;
    std::uint64_t children = 0;
    double sum = 0;
    double most = 0;
    bool hinted = false;
    for (tree_node_id c = tree.task_from(n.first); c != no_tree_node; c = tree.task_from(tree[c].next)) {
      ++children;
      sum += below[c];
      most = std::max(most, below[c]);
      hinted |= tree[c].hints.work.has_value();
    }
    if (children < 2 || hinted || sum < least_s) continue;
    ++into.groups;
    into.uneven += most > uneven_from * sum / static_cast<double>(children) ? 1U : 0U;
  }
}

/// Pages can be spread only over several nodes, and only once.
std::string cure_of_queues(memory_setting const& memory) {
  std::string const use_caches = "move fewer bytes: blocks that fit the caches, and tasks that use their data again";
  if (memory.nodes < 2) return use_caches + " (there is one memory node, so pages cannot be spread)";
  if (memory.interleaved) return use_caches + ", or data near their tasks: arrays divided among the places, with hints";
  return "spread the pages: --placement interleave, arrays divided among the places, or a parallel first touch";
}

}  // namespace

scalability scalability_of(task_tree const& tree, std::vector<double> const& taken_s, double burden_s,
                           std::uint32_t workers) {
  auto const cost = [&](tree_node_id i) { return i < taken_s.size() ? taken_s[i] : 0.0; };
  totals const all = tree.weigh(cost, 0);
  scalability p{.work_s = all.work,
                .span_s = all.span,
                .burden_s = burden_s,
                .burdened_span_s = tree.weigh(cost, burden_s).span,
                .mean_grain_s =
                    all.work / static_cast<double>(std::max<std::uint64_t>(1, all.leaves > 0 ? all.leaves : all.tasks)),
                .forks = all.forks};
  for (tree_node_id i = 0; i < tree.size(); ++i) {
    p.work_hints += tree[i].hints.work ? 1U : 0U;
    p.place_hints += tree[i].hints.place ? 1U : 0U;
  }
  count_groups(tree, works_below(tree, taken_s), p.work_s / (8.0 * workers), p);
  return p;
}

double burden_on(sim::machine_model const& machine, std::uint32_t workers) {
  layout const where = machine.layout_of({.workers = workers});
  sim::model_costs costs(machine, machine.numbers(), where);
  constexpr worker_id first{0};
  sim::tick steal = 0;
  for (std::uint32_t w = 1; w < workers; ++w)
    steal = std::max(steal, costs.price(0, sim::operation::steal, worker_id{w}, first));
  // The thief asks the owner for as long as a heavy fence takes, then fences.
  steal += 2 * costs.price(0, sim::operation::heavy_fence, first, first);
  sim::tick const moved =
      steal + costs.price(0, sim::operation::park, first, first) + costs.price(0, sim::operation::resume, first, first);
  return seconds_of(moved);
}

std::vector<advice> advice_on(scalability const& p, sim_row const& row, memory_setting const& memory) {
  std::vector<advice> all;
  time_shares const time = shares_of(row.median);
  sim::memory_account const& m = row.median.memory;
  double const workers = row.workers;
  bool const idles = time.idle > much_idling;

  if (idles && p.parallelism() < little_slack * workers) {
    all.push_back({"too little parallelism",
                   fmt::format("work / span is {:.1f} for {}, which idle {} of their time", p.parallelism(),
                               in_words(row.workers, "worker"), percent(time.idle)),
                   "shorten the longest path: smaller leaves, or parallelise what runs between the joins"});
  }
  if (idles && p.parallelism() > heavy_burden * p.burdened_parallelism()) {
    all.push_back({"forks on the longest path cost too much",
                   fmt::format("parallelism {:.1f} falls to {:.1f} when every fork costs {}", p.parallelism(),
                               p.burdened_parallelism(), seconds_in_text(p.burden_s)),
                   "fork fewer, larger children: divide in halves rather than one by one, and stop dividing earlier"});
  }
  if (p.mean_grain_s < fine_grain_s && time.scheduling > much_scheduling) {
    all.push_back({"the grain is too small",
                   fmt::format("{} of work per leaf; {} of the time is scheduling", seconds_in_text(p.mean_grain_s),
                               percent(time.scheduling)),
                   "raise the cut-off, so that leaves become larger"});
  }
  if (static_cast<double>(p.uneven) > many_uneven * static_cast<double>(p.groups) && p.work_hints == 0) {
    all.push_back({"siblings differ in work, but there are no work hints",
                   fmt::format("in {} of {} large groups the largest child has over {} times the mean work", p.uneven,
                               p.groups, uneven_from),
                   "give work hints, here.join(work{a}, f, work{b}, g), and try adws"});
  }
  double const far = static_cast<double>(m.remote_bytes + m.transfer_bytes);
  double const near = static_cast<double>(m.local_bytes + m.shared_bytes + m.neighbour_bytes);
  bool const waits_for_data = time.memory + time.queues > much_memory;
  if (memory.nodes > 1 && waits_for_data && far > mostly_remote * (far + near) && p.place_hints == 0) {
    all.push_back({"data are on other nodes, but there are no place hints",
                   fmt::format("{} of the bytes that missed the core's own cache came from other places; leaves wait "
                               "for data {} of the time",
                               percent(far / (far + near)), percent(time.memory + time.queues)),
                   "give place hints, here.join(at{p}, f, at{q}, g), and try numa-ws; or work hints and adws"});
  }
  if (time.queues > much_queueing) {
    all.push_back(
        {"workers queue for the same memory",
         fmt::format("workers spend {} of the time behind others at a memory node or link", percent(time.queues)),
         cure_of_queues(memory)});
  }
  return all;
}

}  // namespace skua::cli
