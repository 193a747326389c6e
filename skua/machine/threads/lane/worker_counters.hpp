// SPDX-License-Identifier: MIT
// The counters of a worker that pool::counters returns. How they are counted: counters.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace skua { inline namespace v0 {

/// One worker's counters since its pool was made. Times in nanoseconds; the three always sum to the time since then.
struct worker_counters {
  /// Steals from greater distances count in the last class.
  static constexpr std::size_t distance_classes = 8;

  std::uint64_t work_ns = 0;  ///< running tasks, including the cost of forks
  /// Successful steals, placing tasks, parking, resuming, checking whether a stolen child has ended.
  std::uint64_t scheduling_ns = 0;
  std::uint64_t idle_ns = 0;  ///< searching without success, and sleeping
  /// Children that joins and loops offered to thieves, also those that no thief took. None unless pool_options::count_forks.
  std::optional<std::uint64_t> forks;
  std::uint64_t tasks = 0;                               ///< tasks taken from a lane: stolen, spawned or injected
  std::uint64_t attempts = 0;                            ///< attempted steals
  std::uint64_t lost = 0;                                ///< steals that another thief or the owner won
  std::array<std::uint64_t, distance_classes> steals{};  ///< successful steals, by distance of the victim
  std::uint64_t parked = 0;                              ///< joins that had to wait
  std::uint64_t waited_in_place = 0;                     ///< joins that had to wait and got no stack
  std::uint64_t sleeps = 0;
  std::uint64_t spawns = 0;       ///< tasks of finish regions that were spawned
  std::uint64_t conversions = 0;  ///< spawns that ran inline
  std::uint64_t dead = 0;         ///< tasks that were dropped because their strategy said that they were dead
  std::uint64_t wakeups_sent = 0;
  std::uint64_t revocations = 0;  ///< deques whose bias this worker, as a thief, has revoked
  /// Fences by membarrier(2), each of which interrupts all running workers: for a revocation that the owner did not
  /// answer. 0 where the kernel has none.
  std::uint64_t heavy_fences = 0;
  // Of the policy `auto`:
  std::uint64_t scheduler_changes = 0;  ///< it put another scheduler in force
  std::uint64_t trials = 0;             ///< of a scheduler that may be better, which it began
  std::uint64_t trials_lost_ns = 0;     ///< the time that trials took beyond that of the best scheduler
};

}}  // namespace skua::v0
