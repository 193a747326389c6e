// SPDX-License-Identifier: MIT
// Simulated runs of one app on one machine model: how long everything took, and what it is compared with.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/simulate/program.hpp"
#include "skua/machine/sim/model/machine_models.hpp"
#include "skua/machine/sim/model/model_costs.hpp"

namespace skua::cli {

[[nodiscard]] inline double seconds_of(sim::tick picoseconds) noexcept {
  return static_cast<double>(picoseconds) * 1e-12;
}
/// Of all workers together.
[[nodiscard]] sim::worker_counters sum_of(std::span<sim::worker_counters const> workers) noexcept;
/// 0 if there is nothing to divide by.
[[nodiscard]] inline double quotient(double above, double below) noexcept { return below > 0 ? above / below : 0; }

/// One run. Seconds are virtual; work, scheduling and idling are sums over the workers: together workers * time.
struct sim_outcome {
  std::uint64_t seed = 0;
  double time_s = 0;
  double work_s = 0;
  double task_s = 0;  ///< of that, outside of leaves
  double scheduling_s = 0;
  double idle_s = 0;
  std::uint64_t events = 0;
  sim::worker_counters sum = {};                                                     ///< of all workers
  std::vector<std::uint64_t> widths = {};                                            ///< as in sim::run_result
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> partitions = {};  ///< the same
  std::vector<std::uint64_t> steals_by_distance = {};
  std::vector<std::string> distance_names = {};
  std::vector<sim::worker_counters> workers = {};  ///< times in ticks (picoseconds)
  sim::tick makespan = 0;
  sim::memory_account memory = {};
  std::map<std::string, double> facts = {};  ///< if asked for: the numbers that the app reports of the run
  std::string report = {};                   ///< what the policy says of the run at its end; most say nothing
};

/// Shares of the workers' time in a run. They sum to 1.
struct time_shares {
  double arithmetic = 0;
  double memory = 0;  ///< leaves take longer than their arithmetic, because of data
  double queues = 0;  ///< the same, behind others
  double noise = 0;
  double scheduling = 0;
  double idle = 0;
};
[[nodiscard]] time_shares shares_of(sim_outcome const& o);

/// All runs of one policy with so many workers.
struct sim_row {
  std::string policy = {};
  std::uint32_t workers = 1;
  sim_outcome median = {};  ///< the run whose time is the median (of an even number, the lower one)
  double min_s = 0;
  double max_s = 0;
  std::uint32_t runs = 1;
  double alone_s = 0;  ///< the median time of the same policy with one worker
};

/// The instance of the machine on which a study runs, the order in which workers fill it, and their deques.
struct sim_stage {
  sim::machine_numbers numbers;
  runtime::spread seats = runtime::spread::compact;
  sim::deque_kind deques = sim::deque_kind::biased;
  /// Whole runs before the one that counts, with the same policy object, caches and pages: what a pool does that runs a
  /// program again and again. Policies such as replay learn from them.
  std::uint32_t warm_up = 0;
  bool with_facts = false;  ///< outcomes have the app's facts, which some apps compute at length
};

class sim_study {
 public:
  /// All of these live longer.
  sim_study(sim_program& program, sim::machine_model const& machine, sim::cost_options const& how, sim_stage stage)
      : program_(program), machine_(machine), stage_(std::move(stage)), how_(how) {}

  /// Throws interruption after an interrupt, and may not be used again then.
  [[nodiscard]] sim_outcome run(std::string const& policy_name, std::uint32_t workers, std::uint64_t seed);
  /// One worker, and a scheduler that takes no time: the serial elision.
  [[nodiscard]] sim_outcome run_serial();
  /// With seeds first, first + 1, ...; calls `before_run` before each. After an interrupt, or an `interruption` from
  /// `before_run`, the row has the runs that are complete; throws interruption if there is none.
  [[nodiscard]] sim_row run_seeds(std::string const& policy_name, std::uint32_t workers, std::uint64_t first,
                                  std::uint32_t seeds, std::function<void()> const& before_run);

  /// What sees a run that counts, under a policy that takes time; null: nobody.
  using watching = std::function<std::unique_ptr<sim::observer>(std::string const& policy, layout const& where,
                                                                std::uint64_t seed, sim::tick ticks_per_ns)>;
  void watch(watching by) { watch_ = std::move(by); }

  [[nodiscard]] sim::machine_model const& machine() const noexcept { return machine_; }
  [[nodiscard]] sim::machine_numbers const& numbers() const noexcept { return stage_.numbers; }
  [[nodiscard]] sim_program& program() noexcept { return program_; }
  /// Seconds that the nodes of the tree took themselves in the last run.
  [[nodiscard]] std::vector<double> const& taken_s() const noexcept { return taken_s_; }

 private:
  sim_outcome simulate(std::string const& policy_name, std::uint32_t workers, std::uint64_t seed, bool free);

  sim_program& program_;
  sim::machine_model const& machine_;
  sim_stage const stage_;
  sim::cost_options const how_;
  watching watch_;
  std::vector<double> taken_s_;
};

}  // namespace skua::cli
