// SPDX-License-Identifier: MIT
// The picture of `skua balance`: the load of each rank before, and after each balancer.
#pragma once

#include <string>
#include <vector>

#include "cli/balance/results.hpp"

namespace skua::cli {

/// An SVG document with a panel for the loads before, and one per balancer for those after its last application.
[[nodiscard]] std::string loads_picture(balance_frame const& frame, std::vector<balance_row> const& rows);

}  // namespace skua::cli
