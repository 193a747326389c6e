// SPDX-License-Identifier: MIT
// synthetic-loads on ranks: one collection, processed several times, whose tasks' times may differ between iterations.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/ranks_plan.hpp"
#include "apps/synthetic/problem.hpp"
#include "apps/synthetic/varied_times.hpp"

namespace skua::apps::synthetic {

struct iterated_loads {
  std::vector<std::uint64_t> means_ns;  ///< of each task over the iterations
  double variation = 0;
  variation_pattern pattern = variation_pattern::each;
  std::uint64_t seed = 1;  ///< of the variation
  std::uint32_t iterations = 1;
  pastime how = pastime::spin;

  /// Of each task in the first iteration: contiguous shares of the ranks, in the order of the tasks.
  [[nodiscard]] std::vector<double> position() const;
};

struct iterated_outcome {
  std::uint64_t sum_ns = 0;  ///< of all tasks and iterations, also those before a restart
  std::uint64_t longest_ns = 0;
  std::string wrong = {};  ///< empty if in each iteration every task has run exactly once, else one line
};

/// Collective. Every rank gets the same outcome.
[[nodiscard]] iterated_outcome over_ranks(communicator& world, iterated_loads const& loads, ranks_plan const& plan);

}  // namespace skua::apps::synthetic
