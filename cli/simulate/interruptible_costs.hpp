// SPDX-License-Identifier: MIT
// Lets an interrupt end a simulation in the middle: the simulator asks its costs at every event, and these throw.
#pragma once

#include "cli/text/interrupt.hpp"
#include "skua/machine/sim/costs.hpp"

namespace skua::cli {

/// The costs of another model. Throws interruption after an interrupt; the simulation cannot be continued then, and stacks of
/// a live program that were in the middle of a task stay behind (skua/machine/sim/live.md).
class interruptible_costs final : public sim::costs {
 public:
  explicit interruptible_costs(sim::costs& of) : of_(of) {}

  sim::tick run(sim::tick now, worker_id w, task_tree const& program, tree_node_id id) override {
    stop_if_interrupted();
    return of_.run(now, w, program, id);
  }
  sim::tick price(sim::tick now, sim::operation what, worker_id w, worker_id whom) override {
    stop_if_interrupted();
    return of_.price(now, what, w, whom);
  }
  [[nodiscard]] sim::tick first_touches_until() const noexcept override { return of_.first_touches_until(); }
  void own(std::span<owned_range const> ranges, layout const& where) override { of_.own(ranges, where); }

 private:
  sim::costs& of_;
};

}  // namespace skua::cli
