// SPDX-License-Identifier: MIT
// Deals tasks out to ranks with a known imbalance, to test balancers: sorted by duration, round robin, and every n-th
// rank takes m tasks in a row instead of one. [retentive-hpdc12 7.3]
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace skua::apps::synthetic {

/// Ranks 0, n, 2n, ... take m tasks whenever it is their turn, the others one. {1, 1} is plain round robin.
struct favour {
  std::uint32_t every = 1;  ///< n
  std::uint32_t take = 1;   ///< m
};

/// Lists the tasks of each rank: indices of `durations`, longest first. Ranks may stay without a task. Throws
/// usage_error unless there are ranks, and n and m are at least 1. Work O(tasks log tasks + ranks).
std::vector<std::vector<std::uint32_t>> deal(std::span<std::uint64_t const> durations, std::uint32_t ranks,
                                             favour favoured = {});

/// The durations of the tasks in such lists: `loads[rank][place in the list]`, as balancers take them.
std::vector<std::vector<std::uint64_t>> loads_of(std::vector<std::vector<std::uint32_t>> const& dealt,
                                                 std::span<std::uint64_t const> durations);

/// The largest sum of a rank over the average, 1 if all are equal; 1 if there is no load at all.
double imbalance(std::vector<std::vector<std::uint64_t>> const& loads) noexcept;

}  // namespace skua::apps::synthetic
