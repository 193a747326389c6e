// SPDX-License-Identifier: MIT
// What an OpenMP program spent its time in: parallel regions and work-sharing loops by their places in the code. [OpenMP 5.0, 2.6 and 2.9]
#pragma once

#include <cstdint>
#include <vector>

#include "cli/report/activity.hpp"

namespace skua::cli::traced {

/// The regions of one place. Sums over its calls that began and ended in the trace. A member is busy while it runs the region's code, its loops and tasks.
struct region_times {
  std::uint32_t name = 0;
  std::uint32_t level = 1;    ///< the least: 1 is not nested
  std::uint32_t members = 0;  ///< of the largest team
  std::uint64_t calls = 0;
  std::uint64_t total_ns = 0;          ///< from the first member's beginning to the last one's end
  std::uint64_t team_ns = 0;           ///< the same times the members
  std::uint64_t longest_ns = 0;        ///< busy time of the busiest member
  std::uint64_t mean_ns = 0;           ///< busy time of a member, on average
  std::uint64_t starting_ns = 0;       ///< of all members: from the first one's beginning to theirs
  std::uint64_t barrier_ns = 0;        ///< of all members: at barriers, and from their end to the region's
  std::uint64_t lock_ns = 0;           ///< at critical sections, locks and ordered
  std::uint64_t children_ns = 0;       ///< for tasks, without one to run
  std::uint64_t serial_before_ns = 0;  ///< since the region before it, of level 1, of the same pool
  /// 1: all members are equally busy.
  [[nodiscard]] double imbalance() const noexcept {
    return mean_ns == 0 ? 1 : static_cast<double>(longest_ns) / static_cast<double>(mean_ns);
  }
};

/// The loops, or sections, of one place.
struct loop_times {
  std::uint32_t name = 0;
  trace::construct what = trace::construct::loop;
  std::uint64_t runs = 0;  ///< by a team
  std::uint64_t iterations = 0, chunks = 0;
  std::uint64_t total_ns = 0;  ///< busy time of all members
  std::uint64_t longest_ns = 0, mean_ns = 0;
  [[nodiscard]] double imbalance() const noexcept {
    return mean_ns == 0 ? 1 : static_cast<double>(longest_ns) / static_cast<double>(mean_ns);
  }
};

struct openmp_times {
  std::vector<region_times> regions;  ///< the one with the most time first
  std::vector<loop_times> loops;      ///< the same
  std::uint64_t known_ns = 0;         ///< the run, or from the first region to the last if events are missing
  std::uint64_t serial_ns = 0;        ///< of known_ns: no region was in progress
};

/// Empty for other programs. O(constructs log constructs).
[[nodiscard]] openmp_times openmp_times_of(run const& of, history const& h);

/// null: it is no OpenMP program.
[[nodiscard]] json openmp_json(run const& of, history const& h);

}  // namespace skua::cli::traced
