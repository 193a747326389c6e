// SPDX-License-Identifier: MIT
// What was simulated, as JSON and for people. Everything here says "simulated" and names the machine model; nothing in it
// depends on the wall clock or on addresses, so the same seed gives the same bytes.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/app_words.hpp"
#include "cli/output.hpp"
#include "cli/profile_advice.hpp"
#include "cli/sim_flags.hpp"
#include "cli/sim_study.hpp"

namespace skua::cli {

/// What all rows have in common.
struct sim_frame {
  std::string_view app;
  json options = {};  ///< the app's, as given
  sim_study const* study = nullptr;
  sim_content content = {};
  sim_way way = sim_way::recorded;
  sim::cost_options costs = {};
  std::uint32_t seeds = 1;
  bool verified = true;
  sim_outcome serial = {};
};

/// As asked for, before anything runs: throws usage_error for whatever makes no sense on this machine.
[[nodiscard]] sim_frame frame_of(app_words const& app, sim_flags const& flags, sim::machine_model const& machine,
                                 bool verify);

/// {"simulated": true, "app", "options", "machine", "placement", "seed", "seeds", "way", "verified", "noise", "tasks",
/// "leaves", "task_ns", "leaf_ns", "measured_here", "measured_flops_per_ns", "serial"}
[[nodiscard]] json to_json(sim_frame const& of);
[[nodiscard]] json to_json(time_shares const& of);
/// {"policy", "workers", "time_s", ...}; the keys "shares" and "per_worker" if `breakdown`.
[[nodiscard]] json to_json(sim_frame const& of, sim_row const& r, bool breakdown);
[[nodiscard]] std::string heading(sim_frame const& of);
[[nodiscard]] std::string times_table(sim_frame const& of, std::span<sim_row const> rows);
[[nodiscard]] std::string traffic_table(std::span<sim_row const> rows);
[[nodiscard]] std::string breakdown_table(std::span<sim_row const> rows);

/// Of all that the workers did or did not do, this much.
[[nodiscard]] double share(double part_s, sim_outcome const& of, std::uint32_t workers);

}  // namespace skua::cli
