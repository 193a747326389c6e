// SPDX-License-Identifier: MIT
// Which workers stole tasks from which, and how far away: the matrix of thieves and victims, and steals by distance.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/report/run.hpp"

namespace skua::cli::traced {

inline constexpr std::size_t most_workers_in_matrix = 64;

/// Square: by worker, or by place, node or rank where there are too many workers to tell apart. By rank, too, where tasks
/// were stolen between ranks: a rank is asked, whichever of its workers has the tasks.
struct steal_matrix {
  std::string of = "worker";
  std::vector<std::string> names;
  std::vector<std::uint64_t> counts;  ///< thief x size + victim

  [[nodiscard]] std::size_t size() const noexcept { return names.size(); }
};

struct steal_facts {
  std::uint64_t steals = 0;
  std::uint64_t lost_races = 0;  ///< another thief, or the owner, was first
  std::uint64_t attempts = 0;    ///< to steal, with or without success
  std::uint64_t sent = 0, moved = 0, exposed = 0, parked = 0;
  std::uint64_t far = 0;     ///< steals from another NUMA node
  std::uint64_t placed = 0;  ///< steals where both nodes are known
  std::vector<std::uint64_t> by_distance;
};

[[nodiscard]] steal_matrix steals_between(run const& of);
[[nodiscard]] steal_facts steal_facts_of(run const& of);

}  // namespace skua::cli::traced
