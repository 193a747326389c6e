// SPDX-License-Identifier: MIT
// Runs the points of an experiment in virtual time, each once.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "apps/app.hpp"
#include "cli/experiment/definition.hpp"
#include "cli/simulate/program.hpp"
#include "cli/simulate/study.hpp"
#include "skua/machine/sim/model/machine_models.hpp"

namespace skua::cli {

/// One point, and what it is compared with.
struct measured_point {
  sim_row row = {};     ///< the median run over the seeds
  double serial_s = 0;  ///< of the serial elision
  double alone_s = 0;   ///< of one worker of the same series, with the serial run's pages; 0 unless it is shown
  double alone_work_s = 0;
  double memory_s = 0;  ///< what memory takes at least for the bytes of this run, or of one worker's if those are fewer
  double flops = 0;     ///< of the program
  double fact = 0;      ///< if the experiment names one
  std::string placement = {};
};

/// Of this point, in the unit of the quantity.
[[nodiscard]] double value_of(measured_point const& p, quantity q);

/// The values of the figures that the machine model assumes: all as stated, all at one end of their ranges, or all as
/// stated but one.
struct figure_setting {
  sim::bound all = sim::bound::stated;
  std::string varied = {};  ///< the one, "prices.steal_ns"; empty: none
  double value = 0;         ///< of the one
  friend auto operator<=>(figure_setting const&, figure_setting const&) = default;
};

/// The position of a point in an experiment.
struct point_at {
  std::size_t panel = 0;
  std::size_t series = 0;
  double x = 0;
  figure_setting figures = {};
  friend auto operator<=>(point_at const&, point_at const&) = default;
};

class experiment_study {
 public:
  /// `quick`: small inputs, one seed. Calls `before_run` with a line about each run. `what` lives longer.
  experiment_study(experiment const& what, bool quick, std::function<void(std::string_view)> before_run);

  [[nodiscard]] experiment const& what() const noexcept { return what_; }
  [[nodiscard]] bool quick() const noexcept { return quick_; }
  [[nodiscard]] sim::machine_model const& machine() const noexcept { return machine_; }
  /// All values of x, or two if quick: the first two values of an option, or the least and the most workers.
  [[nodiscard]] std::vector<double> xs() const;

  /// Runs it unless it was run before. Throws what the app and the simulator throw, and interruption after an interrupt: then
  /// only `find` may follow. Ask for all points of a panel and
  /// an x together: the study keeps the recordings of one panel and x only.
  measured_point const& at(point_at const& p);
  /// Null unless it was run.
  [[nodiscard]] measured_point const* find(point_at const& p) const;
  /// The machine's, with what the panel states instead of or besides them.
  [[nodiscard]] std::vector<sim::figure> figures_of(std::size_t panel) const;
  /// The machine's instance for a panel. Throws usage_error as machine_model::numbers_with.
  [[nodiscard]] sim::machine_numbers numbers_of(std::size_t panel, figure_setting const& setting) const;

 private:
  /// Serves several points.
  struct recording {
    std::unique_ptr<apps::app> app;
    std::unique_ptr<sim_program> program;
  };
  struct alone {
    double time_s = 0;
    double work_s = 0;
    sim::memory_account memory = {};
  };

  [[nodiscard]] std::uint32_t workers_at(double x) const;
  sim_program& program_of(point_at const& p, experiment_series const& series);
  double serial_of(point_at const& p);
  [[nodiscard]] sim_study study_of(point_at const& p, std::string const& placement, sim_program& program) const;
  measured_point run(point_at const& p, std::string const& placement);
  std::string const& placement_of(point_at const& p);
  alone const& alone_of(point_at const& p);
  [[nodiscard]] bool asks_for_one_worker() const;
  [[nodiscard]] double memory_seconds(sim_row const& row, alone const& one, sim::machine_numbers const& by) const;

  experiment const& what_;
  bool const quick_;
  std::function<void(std::string_view)> before_run_;
  sim::machine_model machine_;
  std::map<std::pair<std::string, std::string>, recording> recordings_;  ///< by app and options
  std::pair<std::size_t, double> recorded_{};  ///< the panel, and x if it is an option, of these recordings
  std::map<point_at, measured_point> points_;
  std::map<std::pair<std::size_t, std::size_t>, std::string>
      placements_;  ///< the fastest of several, by panel and series
  std::map<std::tuple<std::size_t, std::size_t, double, figure_setting>, alone> alones_;
  std::map<std::tuple<std::size_t, std::string, std::string, figure_setting>, double>
      serials_;  ///< by panel, app and options
};

}  // namespace skua::cli
