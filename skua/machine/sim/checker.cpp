// SPDX-License-Identifier: MIT
#include "skua/machine/sim/checker.hpp"

#include <algorithm>
#include <numeric>

namespace skua { inline namespace v0 { namespace sim {
namespace {

/// The task, leaf or step that contains this node.
tree_node_id task_of(task_tree const& program, tree_node_id id) {
  while (!is_run(program[id].kind)) id = program[id].parent;
  return id;
}

/// No child begins before its parent, and no step before the one it follows has ended.
std::string fault_in_time(run_result const& result, task_tree const& program, tree_node_id id) {
  turn const& t = result.turns[id];
  tree_node_id const above = task_of(program, program[id].parent);
  bool const is_spawned = program[id].region != no_tree_node;  // it may outlive its spawner, but not its region
  tree_node_id const around = is_spawned ? task_of(program, program[id].region) : above;
  if (result.turns[above].begin <= t.begin && t.begin <= t.end && t.end <= result.turns[around].end) [[likely]]
    return {};
  return "node " + std::to_string(id) + " ran outside the time of its task " + std::to_string(above);
}

/// Every node begins once, and runs within its task. One pass, because of a large tree the memory takes the time.
void check_nodes(run_result const& result, task_tree const& program, std::vector<std::string>& faults) {
  std::string of_turns;
  std::string of_time;
  for (tree_node_id i = 0; i < program.size(); ++i) {
    bool const runs = is_run(program[i].kind);
    if (result.turns[i].times != (runs ? 1U : 0U) && of_turns.empty()) [[unlikely]]
      of_turns = "node " + std::to_string(i) + " was begun " + std::to_string(result.turns[i].times) + " times";
    if (runs && i > 0 && of_time.empty()) of_time = fault_in_time(result, program, i);
  }
  for (std::string const& found : {of_turns, of_time}) {
    if (!found.empty()) faults.push_back(found);
  }
}

/// The members of a team run on neighbouring workers, one on each. What the last member spawns for the team's region
/// begins after all members have ended.
void check_teams(run_result const& result, task_tree const& program, std::vector<std::string>& faults) {
  if (result.teams.empty()) return;
  std::vector<bool> is_team(program.size());
  for (tree_node_id const t : result.teams) {
    is_team[t] = true;
    std::uint32_t next = index(result.turns[t].worker);
    for (tree_node_id m = program[t].first; m != no_tree_node; m = program[m].next) {
      if (index(result.turns[m].worker) == next++) continue;
      faults.push_back("node " + std::to_string(m) + " ran on another worker than its team " + std::to_string(t) +
                       " asks");
      return;
    }
  }
  for (tree_node_id i = 1; i < program.size(); ++i) {
    if (program[i].region == no_tree_node) continue;
    tree_node_id const by = task_of(program, program[i].parent);
    tree_node_id const team = program[by].parent;
    if (team == no_tree_node || !is_team[team] || program[by].region != program[i].region) continue;
    for (tree_node_id m = program[team].first; m != no_tree_node; m = program[m].next) {
      if (m == by || result.turns[m].end <= result.turns[i].begin) continue;
      faults.push_back("node " + std::to_string(i) + " began before all members of team " + std::to_string(team) +
                       " had ended");
      return;
    }
  }
}

/// T_P >= T_1 / P and T_P >= T_inf.
void check_bounds(run_result const& result, double work, double span, layout const& where,
                  std::vector<std::string>& faults) {
  double const makespan = static_cast<double>(result.makespan);
  std::string const said = "makespan " + std::to_string(result.makespan);
  if (makespan * where.workers() < work) faults.push_back(said + " < work / workers");
  if (makespan < span) faults.push_back(said + " < span");
}

/// What holds where a node costs what the rules say.
void check_ticks(run_result const& result, task_tree const& program, layout const& where, rules const& by,
                 std::vector<std::string>& faults) {
  double const work = weigh(program, by).work;
  double const busy =
      std::accumulate(result.workers.begin(), result.workers.end(), 0.0,
                      [](double sum, worker_counters const& t) { return sum + static_cast<double>(t.busy); });
  if (busy != work) {
    faults.push_back("the workers were busy for " + std::to_string(busy) + " ticks, not for the work");
  }
  if (where.workers() > 1) return;
  if (static_cast<double>(result.makespan) != work)
    faults.push_back("one worker took " + std::to_string(result.makespan) + " ticks, not the work");
  if (result.order != order_on_one_worker(program))
    faults.push_back("one worker ran in another order than the program's");
}

/// The longest path; sending changes the order of forks.
double span_of(run_result const& result, task_tree const& program, rules by) {
  if (std::ranges::any_of(result.workers, [](worker_counters const& t) { return t.sent > 0; })) by.fork_ticks = 0;
  return weigh(program, by).span;
}

void check_steals(run_result const& result, layout const& where, std::vector<std::string>& faults) {
  std::uint64_t const by_worker =
      std::accumulate(result.workers.begin(), result.workers.end(), std::uint64_t{0},
                      [](std::uint64_t sum, worker_counters const& t) { return sum + t.steals; });
  std::uint64_t const by_distance =
      std::accumulate(result.steals_by_distance.begin(), result.steals_by_distance.end(), std::uint64_t{0});
  if (by_worker != by_distance) faults.push_back("steals by worker and by distance differ");
  if (result.steals_by_distance[0] != 0) faults.push_back("a worker stole from itself");
  if (where.workers() == 1 && by_worker != 0) faults.push_back("a lone worker stole");
}

/// What is broken in any finished run, and else what `others` find.
template <class Others>
std::vector<std::string> faults_in(run_result const& result, task_tree const& program, layout const& where,
                                   Others const& others) {
  std::vector<std::string> faults = result.faults;
  if (!result.finished) faults.push_back("the run did not end");
  if (!faults.empty()) return faults;
  check_nodes(result, program, faults);
  check_teams(result, program, faults);
  others(faults);
  check_steals(result, where, faults);
  return faults;
}

}  // namespace

double taken_by(run_result const& result, task_tree const& program, tree_node_id id) {
  tree_node_kind const k = program[id].kind;
  if (k != tree_node_kind::leaf && k != tree_node_kind::step) return 0;
  return static_cast<double>(result.turns[id].end - result.turns[id].begin);
}

std::vector<std::string> broken_laws(run_result const& result, task_tree const& program, layout const& where) {
  return faults_in(result, program, where, [&](std::vector<std::string>& faults) {
    totals const all = program.weigh([&](tree_node_id id) { return taken_by(result, program, id); }, 0);
    check_bounds(result, all.work, all.span, where, faults);
    for (std::uint32_t w = 0; w < where.workers(); ++w) {
      if (result.workers[w].work > result.makespan)
        faults.push_back("worker " + std::to_string(w) + " worked for longer than the program took");
    }
  });
}

std::vector<std::string> faults_of(run_result const& result, task_tree const& program, layout const& where,
                                   rules const& by) {
  return faults_in(result, program, where, [&](std::vector<std::string>& faults) {
    check_bounds(result, weigh(program, by).work, span_of(result, program, by), where, faults);
    check_ticks(result, program, where, by, faults);
  });
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
