// SPDX-License-Identifier: MIT
// The loads of a machine from a file, for `skua balance`.
#pragma once

#include <istream>
#include <string>
#include <string_view>

#include "skua/policy/balance/loads.hpp"

namespace skua::cli {

using policies::balance::load_ns;
using policies::balance::machine_loads;

/// Lines "rank,load"; blank lines, and a first line with these words, are skipped. The largest rank gives the number of
/// ranks. The sum of all loads must be below 2^64.
/// Throws usage_error "NAME:LINE: ..." for the first mistake.
[[nodiscard]] machine_loads read_loads(std::istream& in, std::string_view name);
/// The same from a file.
[[nodiscard]] machine_loads read_loads_file(std::string const& path);

}  // namespace skua::cli
