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
  tick price(tick, operation what, worker_id, worker_id) override {
    switch (what) {
      case operation::fork:
      case operation::expose: return by_.fork_ticks;
      case operation::pop:
      case operation::steal:
      case operation::miss:
      case operation::rest: return by_.probe_ticks;
      case operation::send:
      case operation::park:
      case operation::resume:
      case operation::notify:
      case operation::wake_up: break;
    }
    return 0;
  }

 private:
  rules by_;
};

}  // namespace skua::sim
