// SPDX-License-Identifier: MIT
// The results of an experiment as text, as JSON, as CSV and as a picture. All say "simulated" and name the machine model, and
// nothing in them depends on the wall clock or on addresses.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/experiment/study.hpp"
#include "cli/experiment/verdict.hpp"
#include "cli/text/report.hpp"

namespace skua::cli {

/// Everything that was run, in the order of panels, series, x.
struct experiment_results {
  struct point {
    std::size_t panel = 0;
    std::size_t series = 0;
    double x = 0;
    measured_point what;
  };
  experiment const* of = nullptr;
  std::string machine;  ///< "xeon-6130-4s"
  bool quick = false;
  std::vector<double> xs;
  std::vector<point> points;
  std::vector<verdict> verdicts;  ///< none if quick
  std::size_t done = 0;           ///< simulated points, those of the verdicts included
  std::size_t planned = 0;        ///< more after an interrupt

  [[nodiscard]] point const* find(std::size_t panel, std::size_t series, double x) const;
};

/// Runs the experiment panel by panel. Calls `before_run` with the numbers of points done and planned. After an
/// interrupt, or an `interruption` from `before_run`, it keeps the complete points; throws interruption if none can be
/// shown.
[[nodiscard]] experiment_results run_experiment(experiment_study& study,
                                                std::function<void(std::size_t, std::size_t)> const& before_run = {});

/// Heading, tables, the paper's stated figures beside ours, and the verdicts.
[[nodiscard]] std::string text_of(experiment_results const& r);
/// The begin of every document about an experiment. `done` of `planned` points are complete.
[[nodiscard]] json document_of(std::string_view subcommand, experiment const& e, std::size_t done, std::size_t planned);
/// With a row per point. `machine` is the one that they were run on.
[[nodiscard]] json to_json(experiment_results const& r, sim::machine_model const& machine);
/// The same rows.
[[nodiscard]] std::string csv_of(experiment_results const& r);
/// A row per verdict.
[[nodiscard]] std::string verdicts_csv(experiment_results const& r);
/// The curves or bars, and the verdicts below them.
[[nodiscard]] std::string picture_of(experiment_results const& r);

}  // namespace skua::cli
