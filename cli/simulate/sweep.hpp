// SPDX-License-Identifier: MIT
// Several policies with several numbers of workers, each with several seeds: what sim and profile simulate.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/simulate/study.hpp"

namespace skua::cli {

struct sweep_plan {
  std::vector<std::string> policies;
  std::vector<std::uint32_t> workers;
  std::uint64_t first_seed = 1;
  std::uint32_t seeds = 1;
  bool with_one_worker = false;  ///< each policy also runs on one worker, which gives its rows their `alone_s`
};

struct sim_sweep {
  std::vector<sim_row> rows;  ///< by policy, then by workers
  std::uint64_t runs = 0;     ///< complete ones, those on one worker included
  std::uint64_t planned_runs = 0;
  std::uint64_t events = 0;  ///< about
};

/// For people, a line; empty if there was no interrupt. `seeds` as planned.
[[nodiscard]] std::string interrupt_line(sim_sweep const& swept, std::uint32_t seeds);

/// Shows a bar. After an interrupt there are the rows that have at least one complete run; their `runs` says how many.
[[nodiscard]] sim_sweep sweep(sim_study& study, sweep_plan const& plan);

}  // namespace skua::cli
