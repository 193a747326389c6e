// SPDX-License-Identifier: MIT
// What sim and profile report: a row per policy and number of workers, and what they have in common. Everything says
// "simulated" and names the machine model; nothing depends on the wall clock or on addresses, so the same seed gives
// the same bytes.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/simulate/setting.hpp"
#include "cli/simulate/study.hpp"
#include "cli/text/json_row.hpp"
#include "cli/text/report.hpp"

namespace skua::cli {

/// Where the bytes that leaves read came from.
struct memory_source {
  std::string_view key;   ///< in JSON and CSV, with "_bytes"
  std::string_view head;  ///< in tables
  std::uint64_t sim::memory_account::* bytes;
};
inline constexpr std::array memory_sources{
    memory_source{"first_level_cache", "first level", &sim::memory_account::first_level_bytes},
    memory_source{"private_cache", "private", &sim::memory_account::private_bytes},
    memory_source{"shared_cache", "shared", &sim::memory_account::shared_bytes},
    memory_source{"neighbour_cache", "neighbour", &sim::memory_account::neighbour_bytes},
    memory_source{"local_memory", "local", &sim::memory_account::local_bytes},
    memory_source{"remote_memory", "remote", &sim::memory_account::remote_bytes},
    memory_source{"remote_cache", "transfer", &sim::memory_account::transfer_bytes},
};

/// {"model", "model_about", "model_figures", "model_assumed"}
[[nodiscard]] json to_json(sim::machine_model const& of);
/// What a document of sim or profile says before its rows.
[[nodiscard]] json to_json(std::string_view subcommand, sim_frame const& of);
[[nodiscard]] json to_json(time_shares const& of);
[[nodiscard]] std::string heading(sim_frame const& of);

/// What every simulated row has besides the common keys; `serial_s`: the time of the serial elision.
[[nodiscard]] std::vector<named_cell> sim_cells(sim_row const& r, double serial_s);
/// `verify`: a wrong answer would have ended the subcommand.
[[nodiscard]] common_keys sim_keys(sim_row const& r, bool verify);

/// A row each, with "shares" and "per_worker" if `breakdown`; as text the times.
[[nodiscard]] report report_of(sim_frame const& of, std::span<sim_row const> rows, bool breakdown);
[[nodiscard]] std::string times_text(report const& rows);
/// Steals by distance, and where the bytes came from.
[[nodiscard]] std::string traffic_text(std::span<sim_row const> rows);
[[nodiscard]] std::string breakdown_text(std::span<sim_row const> rows);

}  // namespace skua::cli
