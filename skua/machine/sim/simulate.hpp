// SPDX-License-Identifier: MIT
// Run a program in virtual time: the front door of the simulator.
#pragma once

#include <concepts>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "skua/machine/sim/checker.hpp"
#include "skua/machine/sim/here.hpp"
#include "skua/machine/sim/live.hpp"
#include "skua/machine/sim/observer.hpp"
#include "skua/machine/sim/simulator.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::sim {

/// What became of a program, and what it was.
struct simulation {
  run_result result;
  task_tree tree;
};

/// A policy has broken a rule of the machine, or a law does not hold: an error in the policy or in the simulator, never in
/// the program that runs. Each finding is a line.
struct unlawful : error {
  using error::error;
};

/// Throws `unlawful` if there are any.
void refuse_unlawful(std::vector<std::string> const& faults);

/// How a program is run.
struct live_options {
  timing measured = timing::off;  ///< on: what has no footprint takes as long as it does here and now
  std::size_t stack_bytes = runtime::default_stack_bytes;  ///< of every task that was stolen or moved
  assumed_ns assumed = {};                                 ///< not for what is measured
};

/// f(here), on the workers of `where` under `players`, at these prices. What f throws is thrown here. Same program, policy,
/// layout, rules and costs: same simulation, bit for bit, unless something is measured.
/// Cost: about 0.1 us per event and 40 ns per change of stacks; 200 bytes per task. Every run is checked (checker.hpp).
template <std::invocable<here&> F>
simulation simulate(F&& f, policy& scheduler, layout const& where, rules const& by, costs& prices, observer& watched_by,
                    live_options const& how = {}) {
  struct root final : live_group {
    explicit root(F& g) noexcept : live_group(nullptr), f(g) {}
    void call(std::uint64_t, here& on) override { f(on); }
    F& f;
  } all{f};
  live program(where.workers(), how.measured, how.stack_bytes, how.assumed);
  program.begin_with(all);
  run_result result = run(program, scheduler, where, by, prices, watched_by);
  refuse_unlawful(result.faults);
  all.check();
  simulation done{std::move(result), program.take_tree()};
  refuse_unlawful(broken_laws(done.result, done.tree, where));
  return done;
}

/// The same for a program that was recorded: faster, if its tree does not depend on the schedule.
simulation simulate(task_tree program, policy& scheduler, layout const& where, rules const& by, costs& prices,
                    observer& watched_by);

}  // namespace skua::sim
