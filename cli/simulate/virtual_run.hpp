// SPDX-License-Identifier: MIT
// skua run --virtual: the program and its scheduler on virtual workers, one step at a time, repeatable from a seed. For
// finding bugs, not for times: every step costs one tick.
#pragma once

#include <cstdint>
#include <string>

#include "apps/app.hpp"
#include "cli/text/report.hpp"
#include "skua/parts/topology/layout.hpp"

namespace skua::cli {

struct virtual_run {
  std::string policy;
  layout where;
  std::uint32_t seed = 1;
  std::uint32_t repeat = 1;  ///< with seeds seed, seed + 1, ...
  bool verify = true;
  json options = {};  ///< of the app, as given
};

struct virtual_results {
  json document;  ///< {"subcommand", "app", "options", "simulated", "rows": [...]}
  std::string text;
  std::uint32_t runs = 0;  ///< fewer than asked for after an interrupt
};

/// Runs them all. Stops at the first that fails: throws error with what is wrong and the command line that repeats it. After
/// an interrupt it keeps the runs that are complete; throws interruption if there is none.
[[nodiscard]] virtual_results run_virtually(apps::app& app, virtual_run const& how);

}  // namespace skua::cli
