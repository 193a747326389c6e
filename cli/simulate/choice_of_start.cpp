// SPDX-License-Identifier: MIT
#include "cli/simulate/choice_of_start.hpp"

#include <algorithm>
#include <cmath>

namespace skua::cli {

namespace {

std::uint64_t in_ns(double s) noexcept { return static_cast<std::uint64_t>(s * 1e9); }

}  // namespace

policies::balance::next_start choice_of_start::next(ranks::simulated_iteration const& run,
                                                    std::optional<double> balance_s,
                                                    std::vector<std::vector<std::uint32_t>> const& seeded,
                                                    std::vector<std::vector<std::uint32_t>> const& executed) {
  policies::balance::iteration_summary now{.ranks = ranks_, .tasks = durations_.size()};
  now.wall_ns = in_ns(run.seconds);
  now.mean_ns = in_ns(run.ideal_seconds);
  now.balance_ns = in_ns(balance_s.value_or(0));
  double differs = 0;
  double then = 0;
  for (std::size_t r = 0; r < executed.size(); ++r) {
    std::uint64_t sum = 0;
    for (std::uint32_t const t : executed[r]) sum += durations_[t];
    now.most_ns = std::max(now.most_ns, sum);
    std::size_t const own = std::min(seeded[r].size(), executed[r].size());
    for (std::size_t i = 0; i < own && executed[r][i] == seeded[r][i] && !last_.empty(); ++i) {
      auto const before = static_cast<double>(last_[seeded[r][i]]);
      differs += std::abs(static_cast<double>(durations_[seeded[r][i]]) - before);
      then += before;
    }
  }
  now.longest_ns = std::ranges::max(durations_);
  if (then > 0) now.change = differs / then;
  last_ = durations_;
  return choice_.next(now);
}

}  // namespace skua::cli
