// SPDX-License-Identifier: MIT
// What pool::counters says of a worker. How it is counted: counters.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace skua {

/// Distances beyond this class are counted in the last one.
inline constexpr std::size_t distance_classes_max = 8;

/// One worker, since its pool was made. Times in nanoseconds; the three add up to the time since then, always.
struct worker_counters {
  std::uint64_t work_ns = 0;  ///< running tasks, what a fork costs included
  std::uint64_t scheduling_ns =
      0;                      ///< steals that succeed, handing tasks out, parking, resuming, waiting for a stolen child
  std::uint64_t idle_ns = 0;  ///< looking for work in vain, and asleep
  std::uint64_t forks = 0;    ///< children shown to thieves by joins and each; brought up to date at task ends
  std::uint64_t tasks = 0;    ///< tasks taken from a lane (stolen, spawned, injected)
  std::uint64_t attempts = 0;                                ///< steals tried
  std::uint64_t lost = 0;                                    ///< steals in which another thief or the owner was faster
  std::array<std::uint64_t, distance_classes_max> steals{};  ///< successful, by distance of the victim
  std::uint64_t parked = 0;                                  ///< joins that had to wait
  std::uint64_t waited_in_place = 0;                         ///< joins that had to wait and got no stack
  std::uint64_t sleeps = 0;
  std::uint64_t wakeups_sent = 0;
};

}  // namespace skua
