// SPDX-License-Identifier: MIT
// A published figure or table as data: what was run, what was claimed, and what we expect to see. Format, keys and
// units: experiments/README.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "skua/machine/sim/model/figure.hpp"
#include "skua/parts/topology/layout.hpp"

namespace skua::cli {

/// What is read off a run.
enum class quantity : std::uint8_t {
  time,         ///< seconds
  speed_up,     ///< over the serial elision
  scalability,  ///< over one worker of the same series
  gflops,       ///< of the program's own arithmetic
  work,         ///< worker-seconds in leaves and tasks
  scheduling,   ///< worker-seconds
  idle,         ///< worker-seconds
  inflation,    ///< work over the work of one worker of the same series
};
[[nodiscard]] std::string_view name_of(quantity q) noexcept;
/// "s", "GFLOPS", ... ; empty for a ratio.
[[nodiscard]] std::string_view unit_of(quantity q) noexcept;

enum class chart_kind : std::uint8_t {
  lines,      ///< the quantity over x, one line per series
  bars,       ///< the quantity of each panel at the last x, one bar per series
  breakdown,  ///< work, scheduling and idle time of each panel at the last x over the time of one worker
};

/// How tasks come to workers.
enum class dealing : std::uint8_t {
  by_policy,
  statically,  ///< the leaves of each step of the root in equal contiguous shares, as OpenMP's static schedule
};

/// What a panel or series runs. A series adds to its panel's, or replaces them.
struct experiment_run {
  std::string app = {};
  std::string options = {};
  std::string quick = {};                    ///< options of a run that ends in seconds
  std::vector<std::string> placements = {};  ///< several: the fastest of them is shown
  std::uint32_t line = 0;
};

/// Curves in one picture.
struct experiment_panel {
  std::string name;
  experiment_run run;
  double cache_scale = 1;       ///< all caches of the machine are so much as large: for inputs smaller than the paper's
  double leaf_ns_per_byte = 0;  ///< of leaves that say nothing of their arithmetic
  double in_place_ns_per_byte = 0;  ///< ... and of those among them that declare nothing to read; 0: as the others
  std::vector<sim::figure> figures = {};  ///< of the machine, for this kernel
};

struct experiment_series {
  std::string name;
  std::string policy;
  dealing how = dealing::by_policy;
  experiment_run run;
};

/// A point of a curve.
struct experiment_point {
  std::string series;
  double x = 0;
};

/// What the paper says of a point, in figures.
struct stated_value {
  std::string panel;
  experiment_point at;
  quantity of = quantity::time;
  double value = 0;
  std::string note = {};
};

/// A statement that a run can bear out or not: low <= of / over <= high.
struct expectation {
  std::string says;
  std::string panel = {};  ///< empty: every one
  quantity what = quantity::time;
  experiment_point of = {};
  std::optional<experiment_point> over = {};  ///< left out: `of` itself
  bool rising = false;                        ///< the smallest of all y(x next) / y(x) along `of.series`
  std::optional<double> at_least = {};
  std::optional<double> at_most = {};
  std::string stated = {};  ///< the paper's word on it
};

/// What is varied: the number of workers, or an option of the app.
struct experiment_axis {
  std::string option = {};  ///< "--alpha"; empty: workers
  std::string label = "workers";
  std::vector<double> values = {};
  bool is_log = false;
};

struct experiment {
  std::string name;    ///< "adws-sc19/fig12"
  std::string origin;  ///< what errors call its file
  std::string title;
  std::string where;  ///< section and figure of the paper
  std::string claim;
  std::string machine;
  spread seats = spread::compact;
  std::string serial_placement = "first-touch";
  std::uint32_t workers = 0;  ///< where something else is varied
  std::uint32_t seeds = 1;
  std::optional<std::uint64_t> task_ns = {};  ///< of a task of an app without leaves
  quantity shown = quantity::speed_up;
  chart_kind chart = chart_kind::lines;
  experiment_axis x;
  std::vector<experiment_panel> panels;
  std::vector<experiment_series> series;
  std::vector<expectation> expected;
  std::vector<stated_value> stated;
};

/// What one point runs, as one would type it.
struct run_words {
  std::string app;
  std::string options = {};
};
[[nodiscard]] run_words words_of(experiment const& of, experiment_panel const& p, experiment_series const& s, double x,
                                 bool quick);

/// From the text of a file. Throws usage_error "ORIGIN:LINE: what is wrong; what is allowed": also for apps, options,
/// policies, machines, placements, series and panels that do not exist.
[[nodiscard]] experiment parse_experiment(std::string_view text, std::string_view name, std::string_view origin);

/// A shipped one by its name, or a file by its path (whatever ends in ".toml"). Throws usage_error with the nearest name.
[[nodiscard]] experiment load_experiment(std::string const& name_or_path);

/// Ascending.
[[nodiscard]] std::vector<std::string_view> shipped_experiments();

}  // namespace skua::cli
