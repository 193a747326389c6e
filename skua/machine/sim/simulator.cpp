// SPDX-License-Identifier: MIT
#include "skua/machine/sim/simulator.hpp"

#include <algorithm>
#include <cmath>

#include "skua/machine/sim/costs.hpp"
#include "skua/machine/sim/engine/engine.hpp"
#include "skua/parts/base/error.hpp"

namespace skua { inline namespace v0 { namespace sim {

tick ticks_of(task_tree const& program, tree_node_id id, rules const& by) noexcept {
  constexpr double most = 1e15;
  return static_cast<tick>(std::min(std::ceil(program.amount(id, by.unit) / by.units_per_tick), most));
}

run_result run(task_tree const& program, policy& scheduler, layout const& where, rules const& by) {
  observer nobody;
  return run(program, scheduler, where, by, nobody);
}

run_result run(task_tree const& program, policy& scheduler, layout const& where, rules const& by, observer& watcher) {
  if (by.probe_ticks == 0) {
    throw usage_error("simulator: probe_ticks is 0; allowed: at least 1, or idle workers stop the clock");
  }
  if (!(by.units_per_tick > 0) || !std::isfinite(by.units_per_tick)) {
    throw usage_error("simulator: units_per_tick is " + std::to_string(by.units_per_tick) +
                      "; allowed: a positive finite number");
  }
  flat_costs prices(by);
  return run(program, scheduler, where, by, prices, watcher);
}

run_result run(task_tree const& program, policy& scheduler, layout const& where, rules const& by, costs& prices,
               observer& watcher) {
  if (by.lost_per_mille >= 1000) {
    throw usage_error("simulator: lost_per_mille is " + std::to_string(by.lost_per_mille) +
                      "; allowed: 0 to 999, or no steal succeeds");
  }
  return engine(program, nullptr, scheduler, where, by, prices, watcher).run();
}

run_result run(stepped_program& program, policy& scheduler, layout const& where, rules const& by, costs& prices,
               observer& watcher) {
  return engine(program.tree(), &program, scheduler, where, by, prices, watcher).run();
}

}}}  // namespace skua::v0::sim
