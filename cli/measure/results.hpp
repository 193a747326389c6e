// SPDX-License-Identifier: MIT
// The report of run and compare: a row per runner, with the rows that it is compared with. The keys are promised to
// readers of JSON.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/measure/measure.hpp"
#include "cli/measure/runner.hpp"
#include "cli/text/report.hpp"

namespace skua::cli {

/// A runner and its runs.
struct row {
  runner const* who = nullptr;
  record const* what = nullptr;
  std::optional<double> speedup_over_serial = {};  ///< unset: serial was not among the runners
  /// Above 1: faster than the fastest parallel peer with as many workers; unset: there was none.
  std::optional<double> ratio_to_best_peer = {};
};

[[nodiscard]] std::vector<row> rows_of(std::span<runner const> runners, std::span<record const> records);

/// As JSON the common keys (text/json_row.hpp), "min_s", "max_s", "runs", "speedup_over_serial", "ratio_to_best_peer" and
/// "facts"; with "map_overlap" and "map_shares" if a row was mapped; with the keys of breakdown_json in rows that were
/// broken down. The table says who is verified only if somebody is not.
[[nodiscard]] report report_of(std::span<row const> rows);
/// One line per runner that gave wrong answers; empty if none did.
[[nodiscard]] std::vector<std::string> wrong_answers(std::span<row const> rows);

/// W_P / T_1: the growth of the work over the time of one worker under the same policy; unset: there is no such row, or
/// nothing was broken down.
[[nodiscard]] std::optional<double> inflation(row const& r, std::span<row const> rows);
/// T_1 / T_S: the cost of being ready to run in parallel; unset: serial or one worker is not among the rows.
[[nodiscard]] std::optional<double> overhead(row const& r, std::span<row const> rows);

/// {"work_s", "scheduling_s", "idle_s", "unaccounted", "inflation_over_one", "overhead",
/// "per_worker": [{"worker", "work_s", "scheduling_s", "idle_s"}]}
[[nodiscard]] json breakdown_json(row const& r, std::span<row const> rows);
/// Per policy and number of workers, and then worker by worker.
[[nodiscard]] std::string breakdown_text(std::span<row const> rows);

}  // namespace skua::cli
