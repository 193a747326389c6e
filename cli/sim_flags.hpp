// SPDX-License-Identifier: MIT
// The options that say what is simulated and how: the machine, its memory, its noise, the seed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/app.hpp"
#include "cli/sim_program.hpp"
#include "skua/machine/sim/model/machine_models.hpp"
#include "skua/machine/sim/model/model_costs.hpp"

namespace CLI {
class App;
}

namespace skua::cli {

class sim_flags {
 public:
  void add_to(CLI::App& words);

  // As given, or the defaults. They throw usage_error that names the option, its value and what is allowed.
  [[nodiscard]] sim::machine_model model() const;
  [[nodiscard]] std::vector<std::string> policies() const;
  /// Ascending, without repetitions; by default 1, 2, 4, ... and all of the machine's.
  [[nodiscard]] std::vector<std::uint32_t> workers(sim::machine_model const& on) const;
  [[nodiscard]] sim::cost_options costs() const;
  [[nodiscard]] std::uint32_t seed() const;
  [[nodiscard]] std::uint32_t seeds() const;
  [[nodiscard]] sim_way way(apps::app const& of) const;
  [[nodiscard]] std::optional<std::uint64_t> task_ns() const;

 private:
  std::string machine_ = "xeon-6130-4s";
  std::string policies_ = "random,hierarchical,adws,numa-ws";
  std::optional<std::string> workers_;
  std::string placement_ = "first-touch";
  std::string seed_ = "1";
  std::string seeds_ = "1";
  std::optional<std::string> task_ns_;
  std::optional<std::string> noise_;
  bool live_ = false;
  bool recorded_ = false;
};

}  // namespace skua::cli
