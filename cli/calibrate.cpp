// SPDX-License-Identifier: MIT
// skua calibrate: measures this machine and writes a machine model for simulations (docs/machine-models.md).
#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>

#include "cli/probes/calibration.hpp"
#include "cli/probes/machine_facts.hpp"
#include "cli/subcommand.hpp"
#include "cli/text/interrupt.hpp"
#include "cli/text/option_values.hpp"
#include "cli/text/output.hpp"
#include "cli/text/progress.hpp"
#include "skua/machine/sim/model/machine_models.hpp"
#include "skua/parts/topology/topology.hpp"

namespace skua::cli {
namespace {

struct arguments {
  std::string name = "this-machine";
  std::string path;
  std::string rounds = "9";
};

int execute(arguments const& given) {
  unsigned const rounds = read_whole_number("--rounds", given.rounds, 3, 1000);
  bool const plain = given.name.find_first_of("\"\\\n\r") == std::string::npos && !given.name.empty();
  if (!plain) refuse("--name", given.name, "a name without quotes, backslashes and line breaks");
  text_target const target(given.path);
  progress bar("figure");
  machine_shape shape = shape_of(topology::machine());
  shape.first_level_bytes = first_level_bytes_of_this_thread();
  calibrated const found =
      calibrate(shape, given.name, rounds, [&](std::size_t done, std::size_t all, std::string_view key) {
        bar.show(static_cast<double>(done), static_cast<double>(all), fmt::format("measuring {}", key));
      });
  bar.wipe();
  finish_in_spite_of_interrupts();
  if (found.missing.empty()) {
    static_cast<void>(
        sim::machine_model::parse(found.model, "the measured model"));  // checks it before any other program reads it
    target.write(found.model);
  } else {
    write_to_stdout(found.model);  // a file would be taken for a model
  }
  return exit_code_after("calibrate", found.done, found.done + found.missing.size(), "figure");
}

}  // namespace

subcommand add_calibrate(parser root) {
  parser const command =
      root.add_subcommand("calibrate", "measure this machine and write a machine model for simulations");
  auto const given = std::make_shared<arguments>();
  command.add_option("--output", given->path, "FILE|-", "the file of the model; - is standard output [-]");
  command.add_option("--name", given->name, "NAME", "the name of the model").shows_default();
  command.add_option("--rounds", given->rounds, "N", "how often to measure each figure").shows_default();
  return {command, [given] { return execute(*given); }};
}

}  // namespace skua::cli
