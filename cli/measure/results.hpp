// SPDX-License-Identifier: MIT
// The rows of run and compare: a shape of JSON that later verbs keep, and the table for people.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/machine_facts.hpp"
#include "cli/measure.hpp"
#include "cli/output.hpp"
#include "cli/runner.hpp"

namespace skua::cli {

/// A runner and what came of it.
struct row {
  runner const* who = nullptr;
  record const* what = nullptr;
  std::optional<double> speedup_over_serial = {};  ///< unset: serial was not among the runners
  std::optional<double> ratio_to_best_peer =
      {};  ///< above 1: faster than the fastest parallel peer with as many workers
};

[[nodiscard]] std::vector<row> rows_of(std::span<runner const> runners, std::span<record const> records);
[[nodiscard]] json to_json(row const& r);
/// {"app", "machine", "rows"}; rows have a "map_overlap" if one of them was mapped; a row whose runs were broken down has
/// "breakdown" as well (breakdown.hpp).
[[nodiscard]] json report(std::string_view app, machine_facts const& machine, std::span<row const> rows);
[[nodiscard]] std::string to_table(std::span<row const> rows);
/// One line per runner that gave wrong answers; empty if none did.
[[nodiscard]] std::vector<std::string> complaints(std::span<row const> rows);

/// "random with 2 workers"
[[nodiscard]] std::string name_of(runner const& who);

}  // namespace skua::cli
