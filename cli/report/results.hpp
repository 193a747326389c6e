// SPDX-License-Identifier: MIT
// A report as data: what the page shows, and what `skua report --json` writes. Keys: docs/traces.md.
#pragma once

#include <vector>

#include "cli/report/run.hpp"

namespace skua::cli::traced {

/// One entry per run, in their order. A run of one worker is the reference of the others' work inflation if it is the same
/// program. O(events log events), and of a size that does not grow with the number of events.
[[nodiscard]] json report_of(std::vector<run> const& runs);

}  // namespace skua::cli::traced
