// SPDX-License-Identifier: MIT
// Runs a program in virtual time: the entry point of the simulator.
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
#include "skua/machine/sim/simulator.hpp"
#include "skua/parts/base/error.hpp"

namespace skua { inline namespace v0 { namespace sim {

/// A finished run, and the tree of the program.
struct simulation {
  run_result result;
  task_tree tree;
};

/// A policy has broken a rule of the machine, or a law does not hold. The error is in the policy or in the simulator,
/// never in the program. One finding per line.
struct unlawful : error {
  using error::error;
};

/// Throws `unlawful` if there are faults.
void refuse_unlawful(std::vector<std::string> const& faults);

/// How to run a program.
struct live_options {
  timing measured = timing::off;  ///< on: a leaf without a footprint takes as long as it does on this computer
  std::size_t stack_bytes = runtime::default_stack_bytes;  ///< of every stack
  assumed_ns assumed = {};                                 ///< not for measured leaves
};

/// Runs f(here) on the workers of `where` under `scheduler`, at these prices. Throws what f throws. Same program,
/// policy, layout, rules and costs: same simulation, bit for bit, unless leaves are measured.
/// Cost: about 0.1 us per event and 40 ns per switch of stacks; 200 bytes per task. Every run is checked (checker.hpp).
template <std::invocable<here&> F>
simulation simulate(F&& f, policy& scheduler, layout const& where, rules const& by, costs& prices, observer& watcher,
                    live_options const& how = {}) {
  struct root final : live_group {
    explicit root(F& g) noexcept : live_group(nullptr), f(g) {}
    void call(std::uint64_t, here& on) override { f(on); }
    F& f;
  } all{f};
  live program(where.workers(), how.measured, how.stack_bytes, how.assumed);
  program.begin_with(all);
  program.serves(scheduler.needs());
  run_result result = run(program, scheduler, where, by, prices, watcher);
  refuse_unlawful(result.faults);
  all.check();
  simulation done{std::move(result), program.take_tree()};
  refuse_unlawful(broken_laws(done.result, done.tree, where));
  return done;
}

/// The same for a recorded program: faster, but valid only if its tree does not depend on the schedule.
simulation simulate(task_tree program, policy& scheduler, layout const& where, rules const& by, costs& prices,
                    observer& watcher);

}}}  // namespace skua::v0::sim
