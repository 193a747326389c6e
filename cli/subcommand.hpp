// SPDX-License-Identifier: MIT
// What the subcommands of `skua` have in common: how they are added and how they end.
//
// Each has a file beside this one. Below them, includes lead down only: experiment/ uses simulate/, both use chart/,
// compare/ uses measure/, and report/ uses page/. measure/ uses mpi/. All of these but chart/ and mpi/, and balance/, export/, probes/ and top/, use text/.
#pragma once

#include <functional>
#include <vector>

#include "cli/text/command.hpp"

namespace skua::cli {

// Exit codes of the command; after an interrupt: text/interrupt.hpp.
inline constexpr int exit_done = 0;
inline constexpr int exit_failed = 1;   ///< a wrong answer, or the machine refused something
inline constexpr int exit_misused = 2;  ///< the user asked for something that makes no sense

/// The part of the command line that a subcommand owns, and what it does once that is parsed. `execute` returns an exit
/// code, throws skua::usage_error for a senseless request and any other exception for a failure.
struct subcommand {
  parser command;
  std::function<int()> execute;
};

subcommand add_doctor(parser root);
subcommand add_topology(parser root);
subcommand add_list(parser root);
subcommand add_run(parser root);
subcommand add_compare(parser root);
subcommand add_sim(parser root);
subcommand add_profile(parser root);
subcommand add_calibrate(parser root);
subcommand add_experiment(parser root);
subcommand add_balance(parser root);
subcommand add_export(parser root);
subcommand add_report(parser root);
subcommand add_top(parser root);
subcommand add_omp(parser root);
subcommand add_study(parser root);

/// All that this executable has: subcommands.cpp or demo.cpp is linked.
std::vector<subcommand> add_subcommands(parser root);

}  // namespace skua::cli
