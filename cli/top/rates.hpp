// SPDX-License-Identifier: MIT
// What the workers of a pool did between two snapshots, per second. Plain arithmetic: no process, no clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "skua/machine/threads/observe/attached_pool.hpp"

namespace skua::cli::top {

enum class state : std::uint8_t {
  working,
  searching,  ///< or parking, resuming, stealing: the activity that pool::counters calls scheduling
  asleep,
};
[[nodiscard]] std::string_view name_of(state s) noexcept;

struct worker_rates {
  state now = state::asleep;
  // Shares of the time between the snapshots; they sum to 1.
  double working = 0;
  double scheduling = 0;
  double idle = 1;
  // Per second.
  double tasks = 0;
  std::optional<double> forks = {};  ///< none: the program does not count them
  double steals = 0;
  double failed_steals = 0;     ///< attempts that found nothing or were lost to another thief
  runtime::lane_lengths lanes;  ///< in the second snapshot
};

/// One entry per worker. `before` may be `since_opened(after)`.
[[nodiscard]] std::vector<worker_rates> rates_between(runtime::pool_snapshot const& before,
                                                      runtime::pool_snapshot const& after);
/// The snapshot of the same pool when it was made: nothing had happened.
[[nodiscard]] runtime::pool_snapshot since_opened(runtime::pool_snapshot const& pool);

/// Shares are means, everything else sums. Without workers all is zero, and idle.
[[nodiscard]] worker_rates sum_of(std::vector<worker_rates> const& workers);

}  // namespace skua::cli::top
