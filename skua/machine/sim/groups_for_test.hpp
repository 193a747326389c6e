// SPDX-License-Identifier: MIT
// Runs of ADWS with an observer that knows the groups: trees of equal groups, open groups, idle workers.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "skua/machine/sim/checker.hpp"
#include "skua/machine/sim/simulator.hpp"
#include "skua/machine/sim/validator.hpp"
#include "skua/policy/adws/adws.hpp"
#include "skua/policy/registry.hpp"
#include "skua/program/recorder.hpp"
#include "tests/programs/random_tree.hpp"

namespace skua { inline namespace v0 { namespace sim {

/// `groups` groups of four children each, one after the other, `depth` levels of them; leaves cost `cost` flops.
/// Two groups: matrix multiplication [adws-sc19 4.1.2].
inline void four_way(auto& here, int groups, int depth, double cost) {
  if (depth == 0) return here.leaf(flops{cost}, [] {});
  auto const child = [=](auto& h) { four_way(h, groups, depth - 1, cost); };
  for (int g = 0; g < groups; ++g) here.join(work{1}, child, work{1}, child, work{1}, child, work{1}, child);
}

/// Rules under which ADWS must never find a mailbox occupied.
inline rules strict(std::uint64_t seed) { return {.seed = seed, .unit = unit::flops, .slot_refusals_allowed = false}; }

/// Another tree and other rules for every seed. Hints are random, and often wrong.
struct random_run {
  explicit random_run(std::uint64_t seed) : random_run(seed, dice(seed * 77)) {}
  task_tree program;
  rules by;

 private:
  random_run(std::uint64_t seed, dice roll)
      : program(random_tree::make(seed, {.tasks = 20 + roll.below(400),
                                         .most_children = 2 + roll.below(8),
                                         .most_flops = 1 + roll.below(200),
                                         .scope_percent = roll.below(3) * 20})),
        by(strict(seed)) {
    by.fork_ticks = seed % 3;
    by.probe_ticks = 1 + seed % 2;
    by.lost_per_mille = seed % 5 == 0 ? 300 : 0;
  }
};

/// A run in which the validator must find no fault.
inline run_result checked_run(std::string_view name, task_tree const& program, std::uint32_t workers, rules const& by,
                              observer& watcher) {
  layout const where = layout::flat(workers);
  auto const scheduler = policies::make_policy(name, where, by.seed);
  run_result result = run(program, *scheduler, where, by, watcher);
  std::vector<std::string> const faults = faults_of(result, program, where, by);
  EXPECT_TRUE(faults.empty()) << faults.front() << ", " << name << ", seed " << by.seed << ", " << workers
                              << " workers";
  return result;
}
inline run_result checked_run(std::string_view name, task_tree const& program, std::uint32_t workers, rules const& by) {
  observer nobody;
  return checked_run(name, program, workers, by, nobody);
}

/// T1 / (P * TP).
inline double efficiency(run_result const& result, task_tree const& program, rules const& by) {
  return weigh(program, by).work / static_cast<double>(result.makespan) / static_cast<double>(result.workers.size());
}

/// Tracks the open groups and their ranges, and how long workers were idle while there was work in their group, which
/// is an innermost open group whose range covers them.
class group_watch : public observer {
 public:
  group_watch(task_tree const& program, std::uint32_t workers) : program_(program), since_(workers, nothing) {}

  void met(worker_id, tree_node_id group, task_tag const& of_group) override {
    open_[group] = policies::adws::tag_fields::read(of_group).range;
  }
  void left(worker_id, tree_node_id group) override { open_.erase(group); }
  void began(tick, worker_id who, item const&) override { since_[index(who)] = nothing; }
  void after_probe(tick now, worker_id who, probe const&, outcome how, lanes const& lanes_now) override {
    tick& since = since_[index(who)];
    if (how == outcome::got || !something_is_ready_for(index(who), lanes_now)) {
      since = nothing;
      return;
    }
    if (since == nothing) since = now;
    longest_ = std::max(longest_, now - since);
  }

  [[nodiscard]] std::map<tree_node_id, policies::adws::range> const& open() const noexcept { return open_; }
  /// The longest time for which a worker found nothing although its group had work throughout.
  [[nodiscard]] tick longest() const noexcept { return longest_; }

 private:
  static constexpr tick nothing = ~tick{0};

  [[nodiscard]] bool something_is_ready_for(std::uint32_t w, lanes const& lanes_now) const {
    std::map<tree_node_id, bool> mine;
    for (auto const& [group, where] : open_) {
      if (!where.spans() || !where.covers(w)) continue;
      mine[group] = true;
      for (tree_node_id above = program_[group].parent; above != no_tree_node; above = program_[above].parent)
        mine.erase(above);
    }
    if (mine.empty()) return false;
    for (std::uint32_t v = 0; v < since_.size(); ++v) {
      for (lane const l : {lane::forks, lane::spawned, lane::local, lane::migrated}) {
        for (item const& it : lanes_now.items_of(worker_id{v}, l)) {
          for (tree_node_id n = it.node; n != no_tree_node; n = program_[n].parent) {
            if (mine.contains(n)) return true;
          }
        }
      }
    }
    return false;
  }

  task_tree const& program_;
  std::map<tree_node_id, policies::adws::range> open_;
  std::vector<tick> since_;
  tick longest_ = 0;
};

}}}  // namespace skua::v0::sim
