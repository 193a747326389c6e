// SPDX-License-Identifier: MIT
// What the verbs of the `skua` command have in common: how they are added and how they end.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace skua::cli {

/// Exit codes of the command.
inline constexpr int exit_done = 0;
inline constexpr int exit_failed = 1;   ///< a wrong answer, or the machine refused something
inline constexpr int exit_misused = 2;  ///< the user asked for something that makes no sense
inline constexpr int exit_interrupted = 130;

/// One verb: the part of the command line that it owns, and what it does once that is parsed. `carry_out` returns an exit
/// code, throws skua::usage_error for a senseless request and any other exception for a failure.
struct verb {
  CLI::App* words = nullptr;
  std::function<int()> carry_out;
};

verb add_doctor(CLI::App& root);
verb add_topology(CLI::App& root);
verb add_list(CLI::App& root);
verb add_run(CLI::App& root);
verb add_compare(CLI::App& root);
verb add_sim(CLI::App& root);
verb add_profile(CLI::App& root);
verb add_calibrate(CLI::App& root);
verb add_experiment(CLI::App& root);

}  // namespace skua::cli
