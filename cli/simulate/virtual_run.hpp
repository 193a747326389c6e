// SPDX-License-Identifier: MIT
// skua run --virtual: the program and its scheduler on virtual workers, one move at a time, repeatable from a seed. For
// finding bugs, not for times: everything costs one tick.
#pragma once

#include <cstdint>
#include <string>

#include "apps/app.hpp"
#include "cli/output.hpp"
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

/// Plays them all and returns {"app", "virtual": true, "rows": [...]}. Stops at the first that fails: throws error with what
/// is wrong and the command line that repeats it, and interruption after a Ctrl-C.
[[nodiscard]] json play_virtually(apps::app& app, virtual_run const& how);

[[nodiscard]] std::string virtual_text(json const& document);

}  // namespace skua::cli
