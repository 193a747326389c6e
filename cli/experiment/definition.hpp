// SPDX-License-Identifier: MIT
// A published figure or table as data: the runs, the paper's claims, and our expectations. experiments/README.md
// explains the format, the keys and the units.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "skua/machine/sim/model/figure.hpp"
#include "skua/parts/topology/layout.hpp"

namespace skua::cli {

/// The quantity that an experiment shows.
enum class quantity : std::uint8_t {
  time,         ///< seconds
  speed_up,     ///< over the serial elision
  scalability,  ///< over one worker of the same series
  gflops,       ///< billions of the program's flops per second
  work,         ///< worker-seconds in leaves and tasks
  scheduling,   ///< worker-seconds
  idle,         ///< worker-seconds
  inflation,    ///< work over the work of one worker of the same series
  width,        ///< the width at which most of the moldable tasks ran
  width_share,  ///< the share of the moldable tasks that ran with it
  alone_share,  ///< the share of the moldable tasks that ran with width 1
  core_gflops,  ///< billions of flops per second, over the width of most moldable tasks
  misses,       ///< bytes that leaves did not find in the private cache of their core
  roof_share,   ///< the longer of T_1 / workers and what memory takes at least, over the time
  fact,         ///< a number that the app reports of its run
};
[[nodiscard]] std::string_view name_of(quantity q) noexcept;
/// "s", "GFLOPS", ... ; empty for a ratio.
[[nodiscard]] std::string_view unit_of(quantity q) noexcept;
/// In the order of the enumeration.
[[nodiscard]] std::vector<std::string_view> quantity_names();

enum class chart_kind : std::uint8_t {
  lines,      ///< the quantity over x, one line per series
  bars,       ///< the quantity of each panel at the last x, one bar per series
  breakdown,  ///< work, scheduling and idle time of each panel at the last x over the time of one worker
};

/// How tasks reach workers.
enum class dealing : std::uint8_t {
  by_policy,   ///< the policy of the series schedules them
  statically,  ///< the leaves of each step of the root in equal contiguous shares, as OpenMP's static schedule
};

/// The program of a panel or series. A series adds its options to those of the panel, or replaces the app.
struct experiment_run {
  std::string app = {};
  std::string options = {};
  std::string quick = {};                    ///< options of a run that takes seconds
  std::vector<std::string> placements = {};  ///< of several, the fastest is shown
  std::uint32_t line = 0;
};

/// Curves in one picture.
struct experiment_panel {
  std::string name;
  experiment_run run;
  std::string quick_name = {};                ///< its name in a quick run, whose inputs are smaller
  double cache_scale = 1;                     ///< of all caches of the machine, for inputs smaller than the paper's
  std::optional<std::uint64_t> task_ns = {};  ///< of a task of an app without leaves
  double leaf_ns_per_byte = 0;                ///< of leaves without flops
  double in_place_ns_per_byte = 0;            ///< of those among them that read nothing; 0: as the others
  std::vector<sim::figure> figures = {};      ///< of the machine, for this kernel
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

/// A figure of the paper for a point.
struct stated_value {
  std::string panel;
  experiment_point at;
  quantity of = quantity::time;
  double value = 0;
  std::string note = {};
};

/// The points of a curve that a statement is about.
enum class extent : std::uint8_t {
  one,      ///< a single x
  every,    ///< all x: its value is the one that is closest to the wrong side of the bound
  some,     ///< one x at least: the value farthest on the right side
  most,     ///< the median over x, of an even number the lower one
  rising,   ///< the smallest of all y(x next) / y(x)
  falling,  ///< the largest of them
};

/// A statement that a run may meet: low <= of / over <= high.
struct expectation {
  std::string says;
  std::string panel = {};  ///< empty: all
  quantity what = quantity::time;
  experiment_point of = {};
  std::vector<experiment_point> over = {};  ///< several: their sum; empty: the value `of` itself
  extent along = extent::one;               ///< for others than `one` the x of the points has no meaning
  std::optional<double> at_least = {};
  std::optional<double> at_most = {};
  std::string stated = {};  ///< the paper's statement
};

/// The quantity along x: the number of workers, or an option of the app.
struct experiment_axis {
  std::string option = {};  ///< "--alpha"; empty: workers
  std::string label = "workers";
  std::vector<double> values = {};
  bool is_log = false;
};

struct experiment {
  std::string name;    ///< "adws-sc19/fig12"
  std::string origin;  ///< the name of its file in errors
  std::string title;
  std::string where;  ///< section and figure of the paper
  std::string claim;
  std::string machine;
  runtime::spread seats = runtime::spread::compact;
  std::string serial_placement = "first-touch";
  std::uint32_t workers = 0;  ///< if x is an option of the app
  std::uint32_t seeds = 1;
  quantity shown = quantity::speed_up;
  std::string fact = {};  ///< of the app, if a quantity is `fact`
  chart_kind chart = chart_kind::lines;
  experiment_axis x;
  std::vector<experiment_panel> panels;
  std::vector<experiment_series> series;
  std::vector<expectation> expected;
  std::vector<stated_value> stated;
};

/// The name of the panel in results: a quick run does not have the paper's sizes.
[[nodiscard]] std::string const& label_of(experiment_panel const& p, bool quick) noexcept;

/// The program of one point, as typed on a command line.
struct app_command {
  std::string app;
  std::string options = {};
};
[[nodiscard]] app_command command_of(experiment const& of, experiment_panel const& p, experiment_series const& s,
                                     double x, bool quick);

/// From the text of a file. Throws usage_error "ORIGIN:LINE: what is wrong; allowed: ...", also for apps, options,
/// policies, machines, placements, series and panels that do not exist. `machine`, if given, replaces the file's.
[[nodiscard]] experiment parse_experiment(std::string_view text, std::string_view name, std::string_view origin,
                                          std::optional<std::string> const& machine = {});

/// A shipped experiment by its name, or a file by its path, which ends in ".toml"; `machine` as above. Throws usage_error
/// with the nearest name.
[[nodiscard]] experiment load_experiment(std::string const& name_or_path,
                                         std::optional<std::string> const& machine = {});

/// Keeps the named panels and their statements and expectations; without names, keeps all. Throws usage_error for an
/// unknown panel.
[[nodiscard]] experiment with_panels(experiment whole, std::vector<std::string> const& names);

/// A file of experiments/, compiled in.
struct shipped_file {
  std::string_view name;  ///< "adws-sc19/fig12"
  std::string_view text;
};
/// Ascending by name.
[[nodiscard]] std::span<shipped_file const> shipped_experiment_files() noexcept;
[[nodiscard]] std::vector<std::string_view> shipped_experiments();

}  // namespace skua::cli
