// SPDX-License-Identifier: MIT
// The options of a simulation: the machine, its memory, its noise, the seed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/app.hpp"
#include "cli/simulate/program.hpp"
#include "cli/text/app_arguments.hpp"
#include "cli/text/command.hpp"
#include "skua/machine/sim/model/machine_models.hpp"
#include "skua/machine/sim/model/model_costs.hpp"

namespace skua::cli {

/// --seed and --schedule-seed of a subcommand. Some apps have a --seed of their own, for their input; it seeds the
/// schedule, too, unless --schedule-seed is given.
void add_seed(parser command, std::optional<std::string>& value, char const* about);
[[nodiscard]] std::uint32_t schedule_seed(std::optional<std::string> const& given, app_arguments const& app);

/// The word for it on the command line.
[[nodiscard]] std::string_view name_of(sim::deque_kind k);

class sim_flags {
 public:
  void add_to(parser command);

  // As given, or the defaults. They throw usage_error that names the option, its value and what is allowed.
  [[nodiscard]] sim::machine_model model() const;
  /// As typed.
  [[nodiscard]] std::optional<std::string> const& machine() const noexcept { return machine_; }
  [[nodiscard]] std::vector<std::string> policies() const;
  /// Ascending, without repetitions; by default 1, 2, 4, ... and all of the machine's.
  [[nodiscard]] std::vector<std::uint32_t> workers(sim::machine_model const& on) const;
  [[nodiscard]] sim::cost_options costs(app_arguments const& app) const;
  [[nodiscard]] std::uint32_t seed(app_arguments const& app) const;
  [[nodiscard]] std::uint32_t seeds() const;
  [[nodiscard]] std::uint32_t warm_up() const;
  /// Throws as simulation_of, too.
  [[nodiscard]] sim_way way(apps::app& of) const;
  [[nodiscard]] sim_times times() const;
  [[nodiscard]] sim::deque_kind deques() const;

 private:
  std::optional<std::string> machine_;
  std::string policies_ = "auto,random,adws,numa-ws";
  std::optional<std::string> workers_;
  std::string placement_ = "first-touch";
  std::optional<std::string> seed_;
  std::string seeds_ = "1";
  std::string warm_up_ = "0";
  std::optional<std::string> task_ns_;
  bool measure_leaves_ = false;
  std::optional<std::string> noise_;
  std::string deques_ = "biased";
  bool live_ = false;
  bool recorded_ = false;
};

}  // namespace skua::cli
