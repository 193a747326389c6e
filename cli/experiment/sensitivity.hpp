// SPDX-License-Identifier: MIT
// One-at-a-time sensitivity: on which figures does a verdict depend? Each figure alone goes to the low and to the high
// end of its range while all others stay as stated. That misses effects that two figures have only together (Saltelli
// and Annoni, How to avoid a perfunctory sensitivity analysis, 2010).
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/experiment/study.hpp"
#include "cli/experiment/verdict.hpp"
#include "cli/text/report.hpp"

namespace skua::cli {

/// A figure of the machine, and the two values that it takes.
struct varied_figure {
  std::string key;
  std::optional<std::pair<double, double>> range = {};  ///< unset: the ends of the model's range
};
/// "prices.steal_ns,shared_cache.bytes=1e6:4e6"; "" is none. Throws usage_error for an unknown figure, a range that is
/// not low:high, and a figure that occurs twice.
[[nodiscard]] std::vector<varied_figure> varied_figures_in(std::string_view option, std::string_view list);

struct variation {
  std::vector<varied_figure> figures = {};  ///< none: all assumed figures of the model and the panel
  double threshold = 0.05;                  ///< a smaller relative change of a value counts as none
};

/// The effect of one figure on the value of an expectation.
struct effect {
  sim::figure figure;  ///< low, high: its varied values
  double at_low = 0;
  double at_high = 0;
};

/// One expectation in one panel, and all figures that were varied.
struct sensitivity {
  expectation const* of = nullptr;
  std::string panel;
  double value = 0;             ///< with all figures as stated
  std::vector<effect> effects;  ///< the largest change first

  /// The larger of both ends' differences from the value, over the value.
  [[nodiscard]] double change(effect const& e) const noexcept;
  [[nodiscard]] bool changes_verdict(effect const& e) const noexcept;
};

struct sensitivities {
  experiment const* of = nullptr;
  std::string machine;
  double threshold = 0;
  std::vector<sensitivity> all;  ///< in the order of panels and expectations
  std::size_t done = 0;          ///< simulated points
  std::size_t planned = 0;       ///< more than `done` after a Ctrl-C: figures whose points are missing are left out
};

/// Simulates the points that expectations compare, and no others. Calls `before_run` with the numbers of points done and
/// planned. Ends early after a Ctrl-C, or an `interruption` from `before_run`. Throws what the study throws, and usage_error for a figure without a range.
[[nodiscard]] sensitivities sensitivities_of(experiment_study& study, variation const& how,
                                             std::function<void(std::size_t, std::size_t)> const& before_run);

/// Per expectation a table of the figures that change its verdict, or its value by the threshold.
[[nodiscard]] std::string text_of(sensitivities const& s);
/// With every figure that was varied. `machine` is the one that was varied.
[[nodiscard]] json to_json(sensitivities const& s, sim::machine_model const& machine);
/// The same, a row per expectation and figure.
[[nodiscard]] std::string csv_of(sensitivities const& s);

}  // namespace skua::cli
