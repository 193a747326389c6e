// SPDX-License-Identifier: MIT
#include "cli/simulate/setting.hpp"

#include "cli/text/interrupt.hpp"
#include "cli/text/option_values.hpp"

namespace skua::cli {
namespace {

sim_frame frame_of(app_arguments const& app, sim_flags const& flags, sim::machine_model const& machine, bool verify) {
  app.refuse_unused(apps::ways::simulation, "a simulation");
  sim_frame all{.app = app.chosen().name(),
                .options = app.given(),
                .way = flags.way(app.chosen()),
                .costs = flags.costs(app),
                .seeds = flags.seeds(),
                .warm_up = flags.warm_up(),
                .verified = verify,
                .deques = flags.deques()};
  // Called for what they throw.
  static_cast<void>(flags.workers(machine));
  static_cast<void>(flags.policies());
  static_cast<void>(flags.times());
  static_cast<void>(sim::model_costs(machine, machine.numbers(), machine.layout_of({.workers = 1}), all.costs));
  return all;
}

apps::app& prepared(apps::app& app) {
  app.prepare();
  return app;
}

}  // namespace

sim_setting::sim_setting(app_arguments const& app, sim_flags const& flags, bool verify)
    : machine(flags.model()), frame(frame_of(app, flags, machine, verify)),
      program(prepared(app.chosen()), frame.way, flags.times(), verify),
      study(program, machine, program.priced(frame.costs),
            {.numbers = machine.numbers(), .deques = frame.deques, .warm_up = frame.warm_up}) {
  frame.study = &study;
  frame.content = program.content();
  if (flags.times().given_ns && frame.content.leaves > 0 && frame.content.bare_leaves == 0)
    refuse_together("--task-ns", frame.app, "all its leaves declare flops");
  stop_if_interrupted();
}

}  // namespace skua::cli
