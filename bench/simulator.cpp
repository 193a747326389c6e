// SPDX-License-Identifier: MIT
// How fast the simulator runs: events per second of real time, for a large recorded program on many simulated workers.
//
// The program is a balanced binary tree of joins whose leaves take 100 to 163 ticks. An event is one move of one
// worker: it begins a task, forks, returns, probes, sleeps. The simulator's own laws check every run, and each round must be
// the same run.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/harness.hpp"
#include "skua/machine/sim/costs.hpp"
#include "skua/machine/sim/simulate.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/policy/registry.hpp"
#include "skua/program/task_tree.hpp"

namespace {

using namespace skua;

struct options : bench::option_table {
  bench::number_option<std::int64_t> tasks{*this, "--tasks", 10'000'000, bench::between(1, 100'000'000),
                                           "of the program; 400 bytes of memory each"};
  bench::number_option<std::int64_t> rounds{*this, "--rounds", 1, bench::between(1, 1000), "runs of each"};
  bench::text_option policies{*this, "--policies", "random", "names with commas between them"};
  bench::text_option machines{*this, "--machines", "small,large", "small: 64 workers, large: 1024"};
};

constexpr double events_per_second_wanted = 10e6;
constexpr double seconds_wanted = 120;

/// Adds a task with a join below it, until `tasks` tasks are used up. Depth log(tasks).
void grow(task_tree& tree, tree_node_id task, std::int64_t tasks) {
  if (tasks < 3) {
    tree[tree.add(task, tree_node_kind::leaf)].flops = 100.0 + static_cast<double>(task % 64);
    return;
  }
  tree_node_id const join = tree.add(task, tree_node_kind::join);
  std::int64_t const left = (tasks - 1) / 2;
  grow(tree, tree.add(join, tree_node_kind::task), left);
  grow(tree, tree.add(join, tree_node_kind::task), tasks - 1 - left);
}

std::vector<std::string> items(std::string const& list) {
  std::vector<std::string> all{""};
  for (char const c : list) {
    if (c == ',') {
      all.emplace_back();
    } else {
      all.back() += c;
    }
  }
  return all;
}

layout layout_named(std::string const& machine) {
  if (machine == "small") return layout(topology::synthetic("package:4 numa:1 l3:1 core:16 pu:1"));
  if (machine == "large") return layout(topology::synthetic("package:16 numa:1 l3:4 core:16 pu:1"));
  throw usage_error("--machines: small or large, not " + machine);
}

void measure_run(bench::report& say, task_tree& tree, std::string const& policy, layout const& where,
                 options const& o) {
  std::vector<double> rates;
  std::vector<double> seconds;
  std::uint64_t moves = 0;
  sim::tick makespan = 0;
  for (std::int64_t round = 0; round < o.rounds; ++round) {
    sim::rules const by{.unit = unit::flops, .spin_ticks = 10'000};
    sim::flat_costs prices(by);
    sim::observer nobody;
    auto const scheduler = policies::make_policy(policy, where, by.seed);
    auto const start = bench::clock::now();
    sim::simulation done = simulate(std::move(tree), *scheduler, where, by, prices, nobody);
    double const took = bench::seconds_since(start);
    tree = std::move(done.tree);
    bench::verify(round == 0 || (moves == done.result.moves && makespan == done.result.makespan),
                  policy + " gave another run in another round");
    moves = done.result.moves;
    makespan = done.result.makespan;
    seconds.push_back(took);
    rates.push_back(static_cast<double>(done.result.moves) / took);
  }
  std::string const what = policy + ", " + std::to_string(where.workers()) + " workers";
  say.row(what, "events/s", rates, bench::at_least(events_per_second_wanted));
  say.row(what + ", all of it", "s", seconds, bench::at_most(seconds_wanted));
}

void run(options const& o, bench::report& say) {
  task_tree tree;
  grow(tree, 0, o.tasks);
  for (std::string const& policy : items(o.policies)) {
    for (std::string const& machine : items(o.machines)) measure_run(say, tree, policy, layout_named(machine), o);
  }
}

}  // namespace

int main(int argc, char** argv) {
  options const o;
  return bench::run("simulator_bench", "events per second of the simulator, with 64 and with 1024 workers", o, argc,
                    argv, [&](bench::report& say) { run(o, say); });
}
