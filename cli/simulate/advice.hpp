// SPDX-License-Identifier: MIT
// The scalability profile of a program: work, span, what forks on the longest path would cost if they were stolen
// (Cilkview: He, Leiserson, Leiserson 2010; Cilkscale), and which hint or change would help, each with its figure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/output.hpp"
#include "cli/sim_study.hpp"
#include "skua/program/task_tree.hpp"

namespace skua::cli {

/// Of one tree whose nodes took so long on one simulated worker. Times in seconds.
struct scalability {
  double work_s = 0;
  double span_s = 0;
  double burden_s = 0;         ///< of one fork whose continuation moves to the farthest worker
  double burdened_span_s = 0;  ///< the longest path, with the burden on every fork
  double mean_grain_s = 0;     ///< work per leaf, or per task in a program without leaves
  std::uint64_t forks = 0;
  std::uint64_t work_hints = 0;   ///< tasks that carry one
  std::uint64_t place_hints = 0;  ///< tasks that carry one
  std::uint64_t groups = 0;       ///< of several children without work hints, with enough work to matter
  std::uint64_t uneven = 0;       ///< of these, those whose largest child is over 1.5 times the mean

  [[nodiscard]] double parallelism() const noexcept { return span_s > 0 ? work_s / span_s : 1; }
  [[nodiscard]] double burdened_parallelism() const noexcept {
    return burdened_span_s > 0 ? work_s / burdened_span_s : 1;
  }
};

/// Groups matter if they have at least 1 / (8 workers) of the work. Cost O(nodes).
[[nodiscard]] scalability scalability_of(task_tree const& tree, std::vector<double> const& taken_s, double burden_s,
                                         std::uint32_t workers);

/// What moving a continuation from worker 0 to the worker for whom that is dearest takes: a steal, and to park and resume.
[[nodiscard]] double burden_on(sim::machine_model const& machine, std::uint32_t workers);

/// One thing that the figures say.
struct advice {
  std::string what;    ///< "too little parallelism"
  std::string figure;  ///< "parallelism 12.3 for 64 workers; ..."
  std::string change;  ///< what may help
};

/// Nothing is advised that the figures of this row, the best policy's with most workers, do not support.
[[nodiscard]] std::vector<advice> advice_on(scalability const& p, sim_row const& row, std::uint32_t nodes);

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

}  // namespace skua::cli
