// SPDX-License-Identifier: MIT
// The command that runs a traced program again with one setting changed, and compares both traces. It writes another trace
// than the one that the report is about, and drops what would beat the change: an option beats a variable, and code beats both.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace skua::cli::traced {

/// As the trace says it.
struct start_of_run {
  std::vector<std::string> arguments;                 ///< of the program, its name first; empty: unknown
  std::vector<std::string> variables;                 ///< NAME=VALUE: those of Skua and OpenMP
  std::string policy_from, workers_from, trace_from;  ///< "code", "default", a variable's name, or empty: unknown
  std::string trace = "TRACE";                        ///< its name, as `skua report` was given it
  std::uint32_t ranks = 1;
  bool is_openmp = false;  ///< a program that `skua omp` runs
};

enum class setting : std::uint8_t { none, policy, workers };

/// What to type; empty if no command line changes the setting: the program chooses it, or the trace's name, in its code, or
/// the subcommand of skua runs several policies. `name` is that of the new trace.
[[nodiscard]] std::string command_again(start_of_run const& how, setting what, std::string const& value,
                                        std::string const& name);

}  // namespace skua::cli::traced
