// SPDX-License-Identifier: MIT
// The results of `skua balance`, as a table for people and as JSON. docs/json.md lists the keys.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/text/report.hpp"
#include "skua/policy/balance/plan.hpp"

namespace skua::cli {

/// One application of one balancer.
struct balance_row {
  std::string balancer;
  std::uint32_t application = 1;
  policies::balance::balance_report report;
  std::optional<double> cluster_s = {};                      ///< with its messages on a cluster, simulated
  double seconds = 0;                                        ///< all ranks' steps, one after the other, on one thread
  std::vector<policies::balance::load_ns> loads_after = {};  ///< by rank, in ns; of the last application of a balancer
  bool conserved = true;                                     ///< every task is at one rank afterwards
};

/// The common part of all rows.
struct balance_frame {
  std::string distribution;  ///< or the file
  double cost_model = 0;
  std::string pattern;  ///< empty: a file
  std::uint32_t seed = 1;
  std::optional<std::uint64_t> phase = {};  ///< of a file that has phases
  std::string phase_text = {};              ///< "phase 3, the last of 4"
  std::vector<std::string> notes = {};      ///< on the file
  std::string cluster = {};                 ///< of the simulated times; empty: none
  policies::balance::balance_report before;
  std::vector<policies::balance::load_ns> loads_before = {};  ///< by rank, in ns
  std::uint64_t applications = 0;
  std::uint64_t planned_applications = 0;  ///< more after an interrupt
};

[[nodiscard]] json to_json(balance_frame const& frame, std::vector<balance_row> const& rows);
[[nodiscard]] std::string text_of(balance_frame const& frame, std::vector<balance_row> const& rows);

}  // namespace skua::cli
