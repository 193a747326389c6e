// SPDX-License-Identifier: MIT
// What every simulating verb begins with: all that was asked for is checked, then the app is prepared and recorded.
#pragma once

#include "cli/app_words.hpp"
#include "cli/interrupt.hpp"
#include "cli/sim_flags.hpp"
#include "cli/sim_report.hpp"
#include "cli/sim_study.hpp"

namespace skua::cli {

struct sim_setting {
  /// Throws as frame_of before anything runs, then as sim_program.
  sim_setting(app_words const& words, sim_flags const& flags, bool verify)
      : machine(flags.model()), frame(frame_of(words, flags, machine, verify)),
        program(prepared(words.chosen()), frame.way, flags.times(), verify),
        study(program, machine, program.priced(frame.costs)) {
    frame.study = &study;
    frame.content = program.content();
    stop_if_interrupted();
  }
  sim_setting(sim_setting const&) = delete;
  sim_setting& operator=(sim_setting const&) = delete;

  // Each refers to those before it.
  sim::machine_model const machine;
  sim_frame frame;
  sim_program program;
  sim_study study;

 private:
  static apps::app& prepared(apps::app& app) {
    app.prepare();
    return app;
  }
};

}  // namespace skua::cli
