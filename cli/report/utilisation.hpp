// SPDX-License-Identifier: MIT
// How the workers spent their time: over time (as in the retentive paper, Fig. 10), per worker (as in NUMA-WS, Fig. 8), and as the
// picture of every worker's time line.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "cli/report/activity.hpp"

namespace skua::cli::traced {

/// Nanoseconds by activity.
struct times {
  std::array<std::uint64_t, activities> ns{};

  [[nodiscard]] std::uint64_t of(activity a) const noexcept { return ns[static_cast<std::size_t>(a)]; }
  void add(activity a, std::uint64_t more) noexcept { ns[static_cast<std::size_t>(a)] += more; }
  times& operator+=(times const& more) noexcept;
  /// Without what is unknown.
  [[nodiscard]] std::uint64_t known() const noexcept;
  /// A part of what is known; 0 if nothing is.
  [[nodiscard]] double share(activity a) const noexcept;
};

[[nodiscard]] std::vector<times> times_of_workers(history const& h);
[[nodiscard]] times sum(std::vector<times> const& all) noexcept;
/// What happened in [from_ns, to_ns), all workers together. O(workers log segments + segments inside).
[[nodiscard]] times times_between(history const& h, std::uint64_t from_ns, std::uint64_t to_ns);

/// The run cut into equal bins: in each, how many workers did what, on average.
[[nodiscard]] std::vector<std::array<double, activities>> over_time(run const& of, history const& h, std::size_t bins);

/// One column of a worker's time line: what it did for most of it.
struct cell_of_line {
  activity what = activity::unknown;
  std::uint32_t task = no_task;  ///< the one that it worked on longest
};
[[nodiscard]] std::vector<cell_of_line> time_line(run const& of, std::vector<segment> const& of_worker,
                                                  std::size_t columns);

/// W_P / T_1: the work of all workers over the time that one worker was awake in `alone`. Unset if either is not whole, or
/// `alone` has more than one worker, another program, or no time.
[[nodiscard]] std::optional<double> work_inflation(run const& of, times const& spent, run const& alone,
                                                   times const& spent_alone);

}  // namespace skua::cli::traced
