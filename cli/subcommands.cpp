// SPDX-License-Identifier: MIT
// The subcommands of `skua`, in the order of its --help.
#include "cli/subcommand.hpp"

namespace skua::cli {

std::vector<subcommand> add_subcommands(parser root) {
  return {add_doctor(root), add_topology(root), add_list(root),      add_run(root),        add_compare(root),
          add_sim(root),    add_profile(root),  add_calibrate(root), add_experiment(root), add_balance(root),
          add_export(root), add_report(root),   add_top(root),       add_omp(root),        add_study(root)};
}

}  // namespace skua::cli
