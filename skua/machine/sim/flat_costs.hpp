// SPDX-License-Identifier: MIT
// The prices of the rules: constants, whoever does what to whom.
#pragma once

#include "skua/machine/sim/costs.hpp"
#include "skua/machine/sim/simulator.hpp"

namespace skua::sim {

class flat_costs final : public costs {
 public:
  explicit flat_costs(rules const& by) : by_(by) {}
  tick run(tick, worker_id, task_tree const& program, node_id id) override { return ticks_of(program, id, by_); }
  tick price(tick, deed what, worker_id, worker_id) override {
    switch (what) {
      case deed::fork:
      case deed::show: return by_.fork_ticks;
      case deed::pop:
      case deed::steal:
      case deed::miss:
      case deed::rest: return by_.probe_ticks;
      case deed::send:
      case deed::park:
      case deed::resume:
      case deed::call_up:
      case deed::wake_up: break;
    }
    return 0;
  }

 private:
  rules by_;
};

}  // namespace skua::sim
