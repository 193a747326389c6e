// SPDX-License-Identifier: MIT
// Watches a game on the simulator: is every move of the policy legal, does nobody starve, and was the result fair?
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "skua/machine/sim/simulator.hpp"

namespace skua::sim {

/// Sees every answer of a policy during one game.
class validator {
 public:
  validator(std::uint32_t workers, rules const& by);

  /// A probe is legal: it pops from its own lane, or steals from another worker that exists.
  void asked(worker_id self, probe const& p) {
    if (!is_legal(self, p)) [[unlikely]]
      fault_of(self, p);
  }

  /// A placement is legal: one existing worker; another one only through its inbox, slot or migrated lane.
  void placed(worker_id self, placement const& to);

  /// What is laid aside is placed in a lane of this worker in which it may lie, and is found again.
  void preempted(worker_id self, placement const& to);

  /// The slot of `to` is occupied; so many times in a row for this task.
  void refused(worker_id self, placement const& to, std::uint64_t times);

  /// One more answer without a catch while there is something in reach, and it starves.
  [[nodiscard]] bool is_out_of_patience_with(worker_id self) const { return of_[index(self)].hungry >= most_; }

  /// How a probe or rest ended. `in_reach`: something lay in a lane of this worker, in the region's, or, unless the policy
  /// is choosy, in a lane open to thieves.
  void answered(worker_id self, probe const& p, outcome how, bool in_reach) {
    patience& left = of_[index(self)];
    if (how == outcome::got) {
      left = {};
      return;
    }
    left.hungry = in_reach ? left.hungry + 1 : 0;
    if (p.what == action::rest) {
      left.restless = 0;
    } else if (how != outcome::lost) {
      ++left.restless;
    }
    if (left.hungry > most_ || left.restless > most_) [[unlikely]]
      fault_of(self, left);
  }

  void fault(std::string what) { faults_.push_back(std::move(what)); }
  [[nodiscard]] bool content() const noexcept { return faults_.empty(); }
  std::vector<std::string> take() { return std::move(faults_); }

 private:
  struct patience {
    std::uint64_t hungry = 0;    ///< answers without a catch since there is work in reach
    std::uint64_t restless = 0;  ///< misses in a row without a rest
  };

  [[nodiscard]] bool is_legal(worker_id self, probe const& p) const {
    if (p.what == action::rest) return true;
    if (index(p.whom) >= of_.size()) return false;
    return p.what == action::pop ? p.whom == self : p.whom != self && p.where != lane::injected;
  }
  // What is wrong, for people: never on a legal path.
  void fault_of(worker_id self, probe const& p);
  void fault_of(worker_id self, patience const& left);

  std::uint64_t most_;
  bool slot_refusals_allowed_;
  std::vector<patience> of_;
  std::vector<std::string> faults_;
};

/// What is wrong with a finished game: a task not run exactly once, an impossible time, on one worker another order or
/// time than the serial program's, a steal over a distance that the layout does not have. Cost: O(nodes).
std::vector<std::string> faults_of(run_result const& result, task_tree const& program, layout const& where,
                                   rules const& by = {});

/// The order in which one worker begins tasks, leaves and fibers: as the serial program does, except that the tasks
/// of a scope come after its body, the newest first.
std::vector<node_id> order_on_one_worker(task_tree const& program);

/// Work and span in ticks, forks included.
totals weigh(task_tree const& program, rules const& by);

}  // namespace skua::sim
