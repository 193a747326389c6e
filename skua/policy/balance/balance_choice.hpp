// SPDX-License-Identifier: MIT
// Chooses how the next iteration of a collection starts, from measurements of the last ones. balance_choice.md
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "skua/policy/balance/when_to_balance.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace balance {

/// One iteration, the same numbers on every rank.
struct iteration_summary {
  std::uint32_t ranks = 1;
  std::uint64_t tasks = 0;       ///< that ran, on all ranks
  std::uint64_t wall_ns = 0;     ///< until the last rank left
  std::uint64_t mean_ns = 0;     ///< time in tasks, mean of the ranks
  std::uint64_t most_ns = 0;     ///< time in tasks of the busiest rank
  std::uint64_t longest_ns = 0;  ///< the longest task
  std::uint64_t balance_ns = 0;  ///< of the balancing before it; 0 without one
  /// Relative change of the tasks' times since the iteration before: sum |now - then| / sum then. None: no task has an earlier time.
  std::optional<double> change = {};
};

/// Where tasks start: where they ran last, where they started in the first iteration, or where a balancer puts them.
enum class start_of_tasks : std::uint8_t { retained, original, balanced };

struct next_start {
  start_of_tasks from = start_of_tasks::retained;
  bool steals = true;
  friend bool operator==(next_start const&, next_start const&) = default;
};

/// Returns, for example, "balanced, without stealing".
[[nodiscard]] std::string in_words(next_start s);

class balance_choice {
 public:
  /// After each iteration: chooses for the next one. Cost: O(1).
  [[nodiscard]] next_start next(iteration_summary const& last);
  /// Why the last choice was made: one line; empty before the first.
  [[nodiscard]] std::string const& reason() const noexcept { return reason_; }
  [[nodiscard]] next_start chosen() const noexcept { return chosen_; }

 private:
  /// Of one combination of start and stealing.
  struct known {
    std::optional<double> measured;  ///< of the last iteration that it was in force, by the bound
    double predicted = 0;            ///< for that iteration
    double correction = 1;           ///< at least 1
    double decay = 0.5;              ///< of the correction - 1, per iteration
  };
  static constexpr std::size_t combinations = 6;
  [[nodiscard]] static constexpr std::size_t index_of(next_start s) noexcept {
    return static_cast<std::size_t>(s.from) * 2 + (s.steals ? 1 : 0);
  }
  [[nodiscard]] known& of(next_start s) noexcept { return known_[index_of(s)]; }

  void learn(iteration_summary const& last, double bound);
  [[nodiscard]] std::optional<double> raw_prediction(next_start s, double most) const;
  [[nodiscard]] std::optional<double> prediction(next_start s, double most);
  void explain(double expected, iteration_summary const& last, double bound);

  std::array<known, combinations> known_;
  next_start chosen_{.from = start_of_tasks::original, .steals = true};
  when_to_balance due_;
  bool may_balance_ = false;
  double noise_ = 0;
  std::optional<double> last_change_;
  double cost_ = 0;                 ///< of balancing, by the bound
  double margin_ = 0.005;           ///< above the bound, that the last balancing left
  double expected_margin_ = 0.005;  ///< of the next one
  bool balanced_before_ = false;
  double steal_cost_ = 0.01;  ///< what stealing costs where the load is even, by the bound
  std::string reason_;
};

}}}}  // namespace skua::v0::policies::balance
