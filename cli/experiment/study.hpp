// SPDX-License-Identifier: MIT
// Runs the points of an experiment in virtual time, each once, whoever asks.
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
#include "cli/sim_program.hpp"
#include "cli/sim_study.hpp"
#include "skua/machine/sim/model/machine_models.hpp"

namespace skua::cli {

/// One point, and what it is compared with.
struct measured_point {
  sim_row row = {};     ///< the median run over the seeds
  double serial_s = 0;  ///< of the serial elision
  double alone_s = 0;   ///< of one worker of the same series, with the serial run's pages; 0 where nobody asks
  double alone_work_s = 0;
  double flops = 0;  ///< of the program
  std::string placement = {};
};

/// Of this point, in its unit.
[[nodiscard]] double value_of(measured_point const& p, quantity q);

/// A point of an experiment by position.
struct point_at {
  std::size_t panel = 0;
  std::size_t series = 0;
  double x = 0;
  sim::bound figures = sim::bound::stated;  ///< which end of what the machine model assumes
  friend auto operator<=>(point_at const&, point_at const&) = default;
};

class experiment_study {
 public:
  /// `quick`: the small inputs, one seed. `tell` is called before each run. `what` lives longer.
  experiment_study(experiment const& what, bool quick, std::function<void(std::string_view)> tell);

  [[nodiscard]] experiment const& what() const noexcept { return what_; }
  [[nodiscard]] bool quick() const noexcept { return quick_; }
  [[nodiscard]] sim::machine_model const& machine() const noexcept { return machine_; }
  /// Of x: all, or if quick two: the first two values of an option, or the least and the most workers.
  [[nodiscard]] std::vector<double> xs() const;

  /// Runs it unless it was run before. Throws what the app and the simulator throw. Points of one panel and of one x should be
  /// asked for together: the recordings of the panel before are forgotten.
  measured_point const& at(point_at const& p);

 private:
  /// What serves several points.
  struct recording {
    std::unique_ptr<apps::app> app;
    std::unique_ptr<sim_program> program;
  };
  struct alone {
    double time_s = 0;
    double work_s = 0;
  };

  [[nodiscard]] std::uint32_t workers_at(double x) const;
  sim_program& program_of(point_at const& p, experiment_series const& series);
  double serial_of(point_at const& p);
  [[nodiscard]] sim_study study_of(point_at const& p, std::string const& placement, sim_program& program) const;
  [[nodiscard]] sim::machine_numbers numbers_of(point_at const& p) const;
  measured_point run(point_at const& p, std::string const& placement);
  std::string const& placement_of(point_at const& p);
  alone const& alone_of(point_at const& p);
  [[nodiscard]] bool asks_for_one_worker() const;

  experiment const& what_;
  bool const quick_;
  std::function<void(std::string_view)> tell_;
  sim::machine_model machine_;
  std::map<std::pair<std::string, std::string>, recording> recordings_;  ///< by app and options
  std::pair<std::size_t, double> recorded_{};  ///< panel, and x where it is an option, for which they are kept
  std::map<point_at, measured_point> points_;
  std::map<std::pair<std::size_t, std::size_t>, std::string>
      placements_;  ///< by panel and series, where there are several
  std::map<std::tuple<std::size_t, std::size_t, double, sim::bound>, alone> alones_;
  std::map<std::tuple<std::size_t, std::string, std::string, sim::bound>, double>
      serials_;  ///< by panel, app and options
};

}  // namespace skua::cli
