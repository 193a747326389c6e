// SPDX-License-Identifier: MIT
// An app's task collection on simulated ranks of a cluster: skua sim APP --ranks N. [retentive-hpdc12 7]
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apps/app.hpp"
#include "apps/ranks_plan.hpp"
#include "apps/synthetic/varied_times.hpp"
#include "cli/text/command.hpp"
#include "cli/text/report.hpp"
#include "skua/machine/ranks/simulated/balance_time.hpp"
#include "skua/machine/ranks/simulated/simulated_ranks.hpp"

namespace skua::cli {

/// The options of sim that speak of ranks, as typed.
class rank_flags {
 public:
  void add_to(parser command);
  [[nodiscard]] bool wanted() const noexcept { return ranks_.has_value(); }

  /// Some apps have options of these names; then those count, if they are given.
  [[nodiscard]] rank_flags with(json const& of_app) const;
  /// The app's tasks take no time besides their work. Throws usage_error if --floor was given.
  void forbid_floor(std::string_view app);

  // They throw usage_error that names the option.
  /// Reads all of the following.
  void check() const;
  [[nodiscard]] std::uint32_t ranks() const;
  [[nodiscard]] std::uint32_t iterations() const;
  [[nodiscard]] std::string const& balance() const;
  /// Of a task's mean duration: what every task takes besides its work.
  [[nodiscard]] double floor() const;
  /// By which share a task's duration differs between iterations, at most.
  [[nodiscard]] double variation() const;
  [[nodiscard]] apps::synthetic::variation_pattern pattern() const;
  [[nodiscard]] std::uint64_t longest_pause_ns() const;
  /// Whether idle ranks wait on lifelines instead of asking random victims on.
  [[nodiscard]] bool lifelines() const;
  [[nodiscard]] std::string const& victims() const noexcept { return victims_; }
  [[nodiscard]] bool every_attempt() const noexcept { return every_attempt_; }

 private:
  std::optional<std::string> ranks_;
  std::string iterations_ = "5";
  std::string balance_ = "auto";
  std::optional<std::string> floor_;
  std::string variation_ = "0";
  std::optional<std::string> pattern_;
  std::string pause_ = "2ms";
  std::string victims_ = "random";
  bool every_attempt_ = false;
};

/// What the ranks run. Throws usage_error if the app has no tasks for ranks.
[[nodiscard]] apps::ranks_load load_for_ranks(apps::app& what);

/// One iteration, and what balanced it.
struct ranks_iteration {
  ranks::simulated_iteration run;
  std::uint64_t migrations = 0;  ///< before it
  /// Of the balancer before it, not part of the iteration's time; unset without one.
  std::optional<ranks::balance_time> balancing = {};
  double over_ideal = 0;  ///< that it left: the largest load over the average, less 1
  std::string next = {};  ///< of --balance auto: how the next iteration starts, and why
};

/// Simulates the iterations one after the other. Calls `before` with the number of those that are done. After an interrupt it
/// keeps them, and throws interruption if there is none.
[[nodiscard]] std::vector<ranks_iteration> simulate_on_ranks(apps::ranks_load const& load, ranks::cluster const& where,
                                                             rank_flags const& flags, std::uint64_t seed,
                                                             std::function<void(std::uint32_t)> const& before);

[[nodiscard]] report report_of(std::vector<ranks_iteration> const& all, std::string const& balance);

}  // namespace skua::cli
