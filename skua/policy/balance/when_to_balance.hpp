// SPDX-License-Identifier: MIT
// Decides whether moving tasks pays, from what imbalance has cost so far, or before anything was measured from the loads that a program
// expects. A pure function of the numbers that it is given.
#pragma once

#include <cmath>
#include <cstdint>

namespace skua { inline namespace v0 { namespace policies { namespace balance {

/// Nobody knows how many iterations will follow. So it balances once imbalance has cost more since the last balancing
/// than balancing costs: the ski-rental rule, never worse than twice the time of an oracle (Karlin et al. 1988).
class when_to_balance {
 public:
  /// Before the first iteration, for loads of any unit: no cost can be compared with them. A mean that is no finite number says nothing
  /// about the loads, so it is due.
  [[nodiscard]] static bool is_due_at_first(double most, double mean) noexcept {
    return !std::isfinite(mean) || most > mean * 1.01;
  }

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
