// SPDX-License-Identifier: MIT
// The parts of a report that have a line per worker: its times, and what it did in each column of the picture.
#pragma once

#include <vector>

#include "cli/report/utilisation.hpp"

namespace skua::cli::traced {

/// {"work_s", "scheduling_s", ...}
[[nodiscard]] json times_json(times const& t);

/// One object per worker; of more than 256 workers one per place, node or rank would hide what differs, so neighbours share
/// one, and "workers" says how many.
[[nodiscard]] json rows_json(run const& of, std::vector<times> const& by_worker);

/// "columns", "column_s", "lines" (the worker of each), "names", and pictures in base 64, a byte per line and column:
/// "cells" holds an activity's number or 5 + the index of a name, "steals" and "sends" how many, at most 255.
[[nodiscard]] json time_lines_json(run const& of, history const& h);

}  // namespace skua::cli::traced
