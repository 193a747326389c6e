// SPDX-License-Identifier: MIT
// Decides whether moving tasks pays, from what imbalance has cost so far. A pure function of the numbers that it is
// given.
#pragma once

#include <cstdint>

namespace skua { inline namespace v0 { namespace policies { namespace balance {

/// Nobody knows how many iterations will follow. So it balances once imbalance has cost more since the last balancing
/// than balancing costs: the ski-rental rule, never worse than twice the time of an oracle (Karlin et al. 1988).
class when_to_balance {
 public:
  /// Predicts the next iteration from the last one: the highest load of a rank, and the mean; in nanoseconds.
  void predict(std::uint64_t most_ns, std::uint64_t mean_ns) noexcept {
    // Less than a hundredth is measurement noise.
    if (most_ns > mean_ns + mean_ns / 100) lost_ns_ += most_ns - mean_ns;
  }
  [[nodiscard]] bool is_due() const noexcept { return lost_ns_ > cost_ns_; }
  /// A balancing has ended, and took this long. Before the first one its cost is unknown, and counts as 0.
  void balanced(std::uint64_t cost_ns) noexcept {
    cost_ns_ = cost_ns;
    lost_ns_ = 0;
  }

 private:
  std::uint64_t lost_ns_ = 0;
  std::uint64_t cost_ns_ = 0;
};

}}}}  // namespace skua::v0::policies::balance
