// SPDX-License-Identifier: MIT
// An app that can be simulated repeatedly: from one recording, or live. Decides the durations of parts that do not
// declare one.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/app.hpp"
#include "cli/simulate/steps.hpp"
#include "skua/machine/sim/model/model_costs.hpp"
#include "skua/machine/sim/simulate.hpp"
#include "skua/policy/policy.hpp"

namespace skua::cli {

enum class sim_way : std::uint8_t {
  recorded,  ///< the simulator runs the task tree of one serial run: faster
  live,      ///< the program itself runs, on fibers: also right if its tree depends on the schedule
};

/// The parts of an app, and the assumptions about them.
struct sim_content {
  std::uint64_t tasks = 0;
  std::uint64_t spawned = 0;  ///< of these, in finish regions
  std::uint64_t leaves = 0;
  std::uint64_t bare_leaves = 0;  ///< of these, those without flops
  /// Of tasks in an app without leaves; of bare leaves, their mean if they were measured.
  sim::assumed_ns assumed = {};
  /// Of all leaves with flops in a live simulation, if they were measured; otherwise 0.
  double flops_per_ns = 0;
  /// Of code between leaves, if it was measured; otherwise 0.
  double between_leaves_s = 0;
  bool measured = false;  ///< some times come from this machine's clock: another run of the command differs
  /// Of the calmest run that was measured, elapsed time over its thread's processor time. Above 1 the thread waited for
  /// a processor, and leaves that it waited in look longer than they are.
  double wall_over_cpu = 1;
};

/// From which sim_content::wall_over_cpu on a machine was too busy to measure on it.
inline constexpr double busy_from = 1.2;

/// The own durations of tasks and leaves.
struct sim_times {
  std::optional<std::uint64_t> given_ns;  ///< a task of an app without leaves, a leaf without flops; unset: measured
  /// Ignore the flops that leaves declare. Of a recorded program the code between leaves is measured, too.
  bool measure_leaves = false;
};

/// What simulates the app. Throws usage_error with the apps that can be
/// simulated if this one cannot.
[[nodiscard]] apps::simulable& simulation_of(apps::app& what);

class sim_program {
 public:
  /// Runs the app serially: once to record it, and up to three times to measure what declares no duration. Throws what
  /// the app throws; error if `verify` and an answer is wrong; usage_error as simulation_of, and if there is no serial
  /// elision to measure tasks by.
  sim_program(apps::app& what, sim_way how, sim_times times, bool verify);

  [[nodiscard]] sim_content const& content() const noexcept { return content_; }
  [[nodiscard]] sim_way way() const noexcept { return way_; }
  /// `costs` with the measured times of leaves that are simulated live, which are in no tree.
  [[nodiscard]] sim::cost_options priced(sim::cost_options costs) const;

  // Recorded programs only.
  /// Applies `adjust` to the tree now and after every recording.
  void set_adjustment(std::function<void(task_tree&)> adjust);
  /// Simulates on W workers what `deal` makes of the tree and W.
  void set_dealing(std::function<task_tree(task_tree const&, std::uint32_t)> deal) { deal_ = std::move(deal); }

  /// One run on the workers of `where`. Throws as sim::simulate, and error for a wrong answer.
  sim::run_result run(policies::policy& scheduler, layout const& where, sim::rules const& by, sim::costs& costs,
                      sim::observer& watcher);

  /// The numbers among the app's facts: of the last run, or of the recorded one.
  [[nodiscard]] std::map<std::string, double> facts() const;

  /// The tree of the last run, or the recorded one.
  [[nodiscard]] task_tree const& tree() const noexcept { return tree_; }

 private:
  void record(std::uint32_t places);
  [[nodiscard]] std::vector<owned_range> owned(std::uint32_t places);
  [[nodiscard]] bool forgets_arithmetic() const noexcept { return times_.measure_leaves && way_ == sim_way::recorded; }
  void determine_times();
  void time_repeatedly(std::function<void()> const& run);
  /// Recorded, or simulated on one worker.
  [[nodiscard]] task_tree serial_tree(timing measured, std::uint32_t places);
  [[nodiscard]] task_tree timed_tree();
  void note_steps(task_tree const& timed);
  [[nodiscard]] double seconds_between_leaves() const;
  void measure_bare_leaves();
  void measure_live_leaves();
  void write_times_into_tree();
  void check(std::string const& after);

  apps::app& app_;
  apps::simulable& program_;
  sim_way const way_;
  sim_times const times_;
  bool const verify_;
  sim_content content_;
  std::vector<std::uint64_t> leaf_ns_;  ///< of bare leaves, in the serial order; empty: all take assumed.leaf
  std::vector<measured_step> steps_;    ///< the code between leaves; none unless leaves are measured
  bool has_steps_ = false;              ///< from one run at least
  sim::leaf_times leaf_times_;          ///< of leaves with flops that are simulated live
  std::uint32_t places_ = 0;            ///< for which tree_ was recorded
  task_tree tree_;
  std::function<void(task_tree&)> adjust_;
  std::function<task_tree(task_tree const&, std::uint32_t)> deal_;
};

}  // namespace skua::cli
