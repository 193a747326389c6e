// SPDX-License-Identifier: MIT
// The loads of a machine from a text file, for `skua balance`.
#pragma once

#include <istream>
#include <string>
#include <string_view>

#include "cli/balance/load_set.hpp"

namespace skua::cli {

/// Lines "rank,load" or, all of them, "rank,load,phase"; blank lines, and a first line with these words, are skipped. The
/// largest rank of all phases gives the number of ranks, unless more are wanted. The sum of a phase must be below 2^64 ns.
/// Throws usage_error "NAME:LINE: ..." for the first mistake.
[[nodiscard]] load_set read_loads(std::istream& in, std::string_view name, load_request const& wanted);
/// The same from a file.
[[nodiscard]] load_set read_loads_file(std::string const& path, load_request const& wanted);

}  // namespace skua::cli
