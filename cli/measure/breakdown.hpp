// SPDX-License-Identifier: MIT
// Where the workers' time went in timed runs: work, scheduling, idling. [numa-ws-2018 Fig. 3 and 8]
#pragma once

#include <span>
#include <vector>

#include "apps/timing.hpp"
#include "skua/machine/threads/lane/counters.hpp"

namespace skua::cli {

/// Seconds of one worker, or of all of them together.
struct spent_times {
  double work_s = 0;
  double scheduling_s = 0;
  double idle_s = 0;
  [[nodiscard]] double sum_s() const noexcept { return work_s + scheduling_s + idle_s; }
  spent_times& operator+=(spent_times const& more) noexcept {
    work_s += more.work_s;
    scheduling_s += more.scheduling_s;
    idle_s += more.idle_s;
    return *this;
  }
};

/// One run.
struct breakdown {
  double elapsed_s = 0;
  std::vector<spent_times> workers;

  [[nodiscard]] spent_times all() const noexcept;
  /// The part of elapsed time x workers that is in none of the three, or in two of them; 0 is perfect.
  [[nodiscard]] double unaccounted() const noexcept;
};

/// From two readings of a pool's counters, `elapsed_s` apart.
[[nodiscard]] breakdown between(std::span<worker_counters const> before, std::span<worker_counters const> after,
                                double elapsed_s);

/// Medians over runs, one by one: of every worker's times, and of the sums over the workers. Medians of parts need not
/// add up to the median of the whole; each run's parts do.
struct usual_breakdown {
  std::vector<spent_times> workers;
  spent_times all;
  double unaccounted = 0;  ///< of the worst run
};
/// At least one run; all of them with as many workers.
[[nodiscard]] usual_breakdown usual(std::span<breakdown const> runs);

using apps::median;

}  // namespace skua::cli
