// SPDX-License-Identifier: MIT
// What a study's figures say: predictions beside measurements, and where each app stops to scale and why. Works on the study's JSON, so that
// a page can be made again from it.
#pragma once

#include <string>
#include <vector>

#include "cli/text/report.hpp"

namespace skua::cli {

/// A predicted time beside the measured one.
struct prediction_check {
  std::string app;  ///< the key of the part
  std::string runner;
  unsigned workers = 0;
  double predicted = 0;  ///< speed-up over the serial elision, simulated
  double measured = 0;   ///< the same, measured
  double error = 0;      ///< predicted / measured - 1
};
/// Of all runners that both parts of an app have, with right answers.
[[nodiscard]] std::vector<prediction_check> checks_of(json const& study);

/// Pairs of policies of an app on as many workers of which one was faster in every round.
struct order_check {
  unsigned pairs = 0;
  unsigned right = 0;  ///< the simulator put them in the same order
};
[[nodiscard]] order_check orders_of(json const& study);

/// Per app the best of Skua on the most workers, its efficiency, and what took the rest: {"app", "runner", "workers", "speed_up", "efficiency",
/// "work_inflation", "idle_share", "scheduling_share", "best_peer", "peer_speed_up", "says"}
[[nodiscard]] json limits_of(json const& study);

/// Sentences for the head of the page and the terminal.
[[nodiscard]] std::vector<std::string> summary_of_study(json const& study);

}  // namespace skua::cli
