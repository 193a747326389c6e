// SPDX-License-Identifier: MIT
// The picture of `skua profile`: the simulated speed-ups of all policies, and what bounds them.
#pragma once

#include <string>

#include "cli/simulate/advice.hpp"
#include "cli/simulate/setting.hpp"
#include "cli/simulate/sweep.hpp"

namespace skua::cli {

/// An SVG document. Rows have the serial elision's time in `alone_s`.
[[nodiscard]] std::string speedup_picture(sim_frame const& of, scalability const& program, sim_sweep const& swept);

}  // namespace skua::cli
