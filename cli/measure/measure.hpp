// SPDX-License-Identifier: MIT
// Timing: one run, verified; and rounds of runs, interleaved, so that whatever the machine does meanwhile (other load,
// changing clock rates) hits every runner alike.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/app.hpp"
#include "cli/breakdown.hpp"
#include "cli/runner.hpp"

namespace skua::cli {

/// What came of one runner.
struct record {
  std::vector<double> times_s;
  std::vector<breakdown> breakdowns;  ///< of the same runs, where they were asked for
  bool checked = true;                ///< answers were verified
  unsigned wrong_answers = 0;
  std::string complaint;                   ///< about the first wrong answer: one line
  nlohmann::json facts;                    ///< of the last run
  std::optional<apps::task_map> map = {};  ///< of the recorded run, if there was one

  [[nodiscard]] double median_s() const;
  [[nodiscard]] double min_s() const;
  [[nodiscard]] double max_s() const;
};

/// Run once: reset, run (only this is timed; with a breakdown also a reading of the counters, below a microsecond),
/// verify. `keep_time` is off for a warm-up, whose answer counts all the same.
void measure_once(apps::app& what, runner const& who, bool verify, bool keep_time, record& into);

/// Run once more, not timed, with every leaf noted: reset, run, verify. The map comes into the record. `maps` is of `what`.
void map_once(apps::app& what, apps::mapped& maps, runner const& who, bool verify, record& into);

/// Wait until this process's threads have come to rest, at most 200 ms: some runtimes' threads spin after
/// their work is done (libgomp's for about 5 ms, or for ever if told so) and would slow whoever runs next. False: they did not rest.
bool settle();

struct measurement_plan {
  unsigned warm_up_rounds = 1;          ///< run and verified, not timed
  std::optional<unsigned> rounds = {};  ///< exactly so many; unset: by budget
  unsigned least_rounds = 5;
  unsigned most_rounds = 100;
  std::chrono::duration<double> budget{10};  ///< after `least_rounds`, no round begins that would exceed it
  std::uint64_t seed = 1;                    ///< of the order within rounds
};

/// Called before every run with the estimated share of the work that is done.
using measurement_observer = std::function<void(double done, runner const& next)>;

struct measurement {
  std::vector<record> records;  ///< one per runner
  unsigned runs = 0;            ///< all of them, warm-up included
  unsigned restless = 0;        ///< runs that began although some thread of this process had not come to rest
};

/// In each round every runner runs once, in an order drawn anew, with a `settle` between runs.
/// Throws what runs throw, and `interruption` after a Ctrl-C.
[[nodiscard]] measurement measure_rounds(apps::app& what, std::span<runner const> runners, measurement_plan const& plan,
                                         measurement_observer const& tell);

}  // namespace skua::cli
