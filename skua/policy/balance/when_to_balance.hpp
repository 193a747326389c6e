// SPDX-License-Identifier: MIT
// Whether moving tasks pays, decided from what imbalance has cost so far. A pure function of the numbers that it is told.
#pragma once

#include <cstdint>

namespace skua { inline namespace v0 { namespace policies { namespace balance {

/// Nobody knows how many iterations will follow. So it balances as soon as what imbalance has cost since the last time exceeds what
/// balancing costs: the rule for renting or buying skis, never worse than twice the time of who knows the future (Karlin et al. 1988).
class when_to_balance {
 public:
  /// The next iteration, predicted from the last one: the load of the rank that has most, and the mean; in nanoseconds.
  void predict(std::uint64_t most_ns, std::uint64_t mean_ns) noexcept {
    // What is below a hundredth is noise of the measurement.
    if (most_ns > mean_ns + mean_ns / 100) lost_ns_ += most_ns - mean_ns;
  }
  [[nodiscard]] bool is_due() const noexcept { return lost_ns_ > cost_ns_; }
  /// It was done, and took so long. Before the first time its cost is not known, and taken for nothing.
  void balanced(std::uint64_t cost_ns) noexcept {
    cost_ns_ = cost_ns;
    lost_ns_ = 0;
  }

 private:
  std::uint64_t lost_ns_ = 0;
  std::uint64_t cost_ns_ = 0;
};

}}}}  // namespace skua::v0::policies::balance
