// SPDX-License-Identifier: MIT
// What came of an experiment: for people, as CSV, as a picture. All say "simulated" and name the machine model, and
// nothing in them depends on the wall clock or on addresses.
#pragma once

#include <string>
#include <vector>

#include "cli/experiment/study.hpp"
#include "cli/experiment/verdict.hpp"

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

  [[nodiscard]] point const* find(std::size_t panel, std::size_t series, double x) const;
};

/// Runs all of it, panel by panel.
[[nodiscard]] experiment_results run_experiment(experiment_study& study);

[[nodiscard]] std::string heading(experiment_results const& r);
[[nodiscard]] std::string table_for_people(experiment_results const& r);
/// What was expected, whether it holds, and between what it lies over the ranges of the model's assumed figures.
[[nodiscard]] std::string verdicts_for_people(experiment_results const& r);
/// A line of heads, then one per point. RFC 4180.
[[nodiscard]] std::string csv_of(experiment_results const& r);
/// The paper's stated figures beside ours.
[[nodiscard]] std::string stated_for_people(experiment_results const& r);
[[nodiscard]] std::string picture_of(experiment_results const& r);

}  // namespace skua::cli
