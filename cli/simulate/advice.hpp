// SPDX-License-Identifier: MIT
// The scalability profile of a program: work, span, the cost of stealing every fork on the longest path (Cilkview: He,
// Leiserson, Leiserson 2010; Cilkscale), and which hint or change would help, each with its figure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/simulate/study.hpp"
#include "skua/program/task_tree.hpp"

namespace skua::cli {

/// Of one tree whose nodes took `taken_s` on one simulated worker. Times in seconds.
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

/// Seconds to move a continuation from worker 0 to the worker for which that costs most: a steal, a park and a resume.
[[nodiscard]] double burden_on(sim::machine_model const& machine, std::uint32_t workers);

/// One finding, and what to do about it.
struct advice {
  std::string what;    ///< the finding: "too little parallelism"
  std::string figure;  ///< "parallelism 12.3 for 64 workers; ..."
  std::string change;  ///< a change that may help
};

/// The memory of a row's run: what can still be changed about it.
struct memory_setting {
  std::uint32_t nodes = 1;
  bool interleaved = false;  ///< the pages are spread over them already
};

/// Advice that the figures of this row, the best policy's with most workers, support; none if they call for no change.
[[nodiscard]] std::vector<advice> advice_on(scalability const& p, sim_row const& row, memory_setting const& memory);

}  // namespace skua::cli
