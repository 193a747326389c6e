// SPDX-License-Identifier: MIT
// The tasks of a run by name, and the teams of moldable ones by type, address and width. [arms-2021 Fig. 10]
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/report/activity.hpp"

namespace skua::cli::traced {

/// Own time: without tasks called inside, and without waits.
struct task_times {
  std::uint32_t name = 0;
  std::uint64_t count = 0, total_ns = 0, p50_ns = 0, p99_ns = 0, max_ns = 0;
  [[nodiscard]] double mean_ns() const noexcept {
    return count == 0 ? 0 : static_cast<double>(total_ns) / static_cast<double>(count);
  }
};

/// One per name, the one with the most time first. Quantiles are times of tasks: the smallest that a share p does not exceed.
[[nodiscard]] std::vector<task_times> tasks_by_name(history const& h);

struct teams_of_width {
  std::uint32_t width = 1;
  double teams = 0;           ///< members / width, so it is not whole where a member's event was lost
  std::uint64_t mean_ns = 0;  ///< of a member
};
/// Tasks of one name and type at one software topology address.
struct team_group {
  std::uint32_t name = 0, type = 0;
  std::uint64_t address = 0;           ///< in units of 2^-32 of the line (address.hpp)
  std::vector<teams_of_width> widths;  ///< narrowest first
  [[nodiscard]] double teams() const noexcept;
};

/// The groups with the most teams first.
[[nodiscard]] std::vector<team_group> teams_of(run const& of);

}  // namespace skua::cli::traced
