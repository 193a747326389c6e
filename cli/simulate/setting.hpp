// SPDX-License-Identifier: MIT
// How every simulating subcommand begins: it checks everything that was asked for, then prepares and records the app.
#pragma once

#include <cstdint>
#include <string_view>

#include "cli/simulate/flags.hpp"
#include "cli/simulate/program.hpp"
#include "cli/simulate/study.hpp"
#include "cli/text/app_arguments.hpp"

namespace skua::cli {

/// What all rows of a report have in common.
struct sim_frame {
  std::string_view app;
  json options = {};  ///< the app's, as given
  sim_study const* study = nullptr;
  sim_content content = {};
  sim_way way = sim_way::recorded;
  sim::cost_options costs = {};
  std::uint32_t seeds = 1;
  std::uint32_t warm_up = 0;
  bool verified = true;
  sim::deque_kind deques = sim::deque_kind::biased;
  sim_outcome serial = {};
};

struct sim_setting {
  /// Throws usage_error for whatever makes no sense on this machine before anything runs, then as sim_program.
  sim_setting(app_arguments const& app, sim_flags const& flags, bool verify);
  sim_setting(sim_setting const&) = delete;
  sim_setting& operator=(sim_setting const&) = delete;

  // Each refers to those before it.
  sim::machine_model const machine;
  sim_frame frame;
  sim_program program;
  sim_study study;
};

}  // namespace skua::cli
