// SPDX-License-Identifier: MIT
// Which scheduler `auto` chose for each call, why, and what it cost to find out (--stats, skua report).
#pragma once

#include <span>
#include <string>

#include "cli/text/report.hpp"
#include "skua/policy/call_choice.hpp"

namespace skua::cli {

/// A row per call site that was called in this run. The keys are promised to readers of JSON (docs/json.md).
[[nodiscard]] report choices_report(std::span<policies::call_choice const> all);
/// The table under a line that says what it is; empty if there is no row.
[[nodiscard]] std::string choices_text(report const& rows);

}  // namespace skua::cli
