// SPDX-License-Identifier: MIT
// Timing: one verified run; and rounds of interleaved runs, so that disturbances of the machine (other load, changing
// clock rates) affect every runner alike.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/app.hpp"
#include "apps/json_value.hpp"
#include "cli/measure/breakdown.hpp"
#include "cli/measure/runner.hpp"

namespace skua::cli {

/// The runs of one runner.
struct record {
  std::vector<double> times_s;
  std::vector<breakdown> breakdowns;  ///< of the same runs, if they were asked for
  bool checked = true;                ///< answers were verified
  unsigned wrong_answers = 0;
  std::string first_error;                 ///< about the first wrong answer: one line
  apps::json_value facts;                  ///< of the last run
  std::optional<apps::task_map> map = {};  ///< of the recorded run, if there was one

  [[nodiscard]] double median_s() const;
  [[nodiscard]] double min_s() const;
  [[nodiscard]] double max_s() const;
};

/// Runs once: reset, run (only this is timed; with a breakdown also a reading of the counters, below a microsecond),
/// verify. `keep_time` is off for a warm-up, whose answer is verified all the same.
void measure_once(apps::app& what, runner const& who, bool verify, bool keep_time, record& into);

/// Runs once more, not timed, and records which worker ran each leaf: reset, run, verify. `maps` is of `what`.
void map_once(apps::app& what, apps::mapped& maps, runner const& who, bool verify, record& into);

/// Waits until this process's threads use almost no processor time, at most 200 ms: some runtimes' threads spin after
/// their work is done (libgomp's for about 5 ms, or for ever on request) and would slow down the next run. Returns
/// false if they never rested.
bool wait_until_quiet();

struct measurement_plan {
  unsigned warm_up_rounds = 1;          ///< run and verified, not timed
  std::optional<unsigned> rounds = {};  ///< exactly so many; unset: by budget
  unsigned least_rounds = 5;
  unsigned most_rounds = 100;
  std::chrono::duration<double> budget{10};  ///< after `least_rounds`, no round begins that would exceed it
  std::uint64_t seed = 1;                    ///< of the order within rounds
};

/// Called before every run with the number of runs that are done, and of all (if the budget decides, as far as known).
using measurement_observer = std::function<void(unsigned done, unsigned all, runner const& next)>;

struct measurement {
  std::vector<record> records;  ///< one per runner
  unsigned runs = 0;            ///< all of them, warm-up included
  unsigned rounds = 0;          ///< timed ones; each record has as many times
  unsigned planned_rounds = 0;  ///< more after an interrupt
  unsigned restless = 0;        ///< runs that began although some thread of this process was not quiet
};

/// In each round every runner runs once, in a newly drawn order, with `wait_until_quiet` between runs.
/// After an interrupt, or an `interruption` from `before_run`, it keeps the complete timed rounds and drops the runs of the one
/// under way; throws interruption if there is none. Throws what runs throw.
[[nodiscard]] measurement measure_rounds(apps::app& what, std::span<runner const> runners, measurement_plan const& plan,
                                         measurement_observer const& before_run);

}  // namespace skua::cli
