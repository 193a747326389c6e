// SPDX-License-Identifier: MIT
// skua experiment: repeats a published figure or table on a simulated machine.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>

#include "cli/experiment/definition.hpp"
#include "cli/experiment/results.hpp"
#include "cli/experiment/study.hpp"
#include "cli/subcommand.hpp"
#include "cli/text/output.hpp"
#include "cli/text/terminal.hpp"
#include "cli/text/usage.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::cli {
namespace {

struct arguments {
  std::string name;
  std::string directory = "experiments-results";
  bool quick = false;
};

int list_all() {
  table t({{"experiment"}, {"title"}, {"in the paper"}});
  for (std::string_view const name : shipped_experiments()) {
    experiment const e = load_experiment(std::string{name});
    t.add({e.name, e.title, e.where});
  }
  write_to_stdout(t.text() + "To run one: skua experiment NAME (with --quick for small inputs)\n");
  return exit_done;
}

/// "adws-sc19/fig12" in DIR: DIR/adws-sc19-fig12
std::string stem_of(experiment const& e, std::string const& directory) {
  std::string name = e.name.ends_with(".toml") ? e.name.substr(0, e.name.size() - 5) : e.name;
  std::ranges::replace(name, '/', '-');
  return (std::filesystem::path(directory) / name).string();
}

void make_directory(std::string const& path) {
  std::error_code fault;
  std::filesystem::create_directories(path, fault);
  if (fault) throw resource_error(fmt::format("cannot make the directory {}: {}", path, fault.message()));
}

int execute(arguments const& given) {
  if (given.name.empty()) return list_all();
  experiment const what = load_experiment(given.name);
  make_directory(given.directory);
  std::string const stem = stem_of(what, given.directory) + (given.quick ? "-quick" : "");
  progress bar;
  experiment_study study(what, given.quick, [&](std::string_view now) { bar.show(0, now); });
  experiment_results const results = run_experiment(study);
  bar.wipe();
  stop_if_interrupted();
  std::string const text = text_of(results);
  finish_in_spite_of_interrupts();
  text_target(stem + ".csv").write(csv_of(results));
  json_target(stem + ".json").write(to_json(results, study.machine()));
  text_target(stem + ".svg").write(picture_of(results));
  text_target(stem + ".txt").write(text);
  write_to_stdout(text + fmt::format("written: {0}.csv, {0}.json, {0}.svg, {0}.txt\n", stem));
  return exit_done;
}

}  // namespace

subcommand add_experiment(CLI::App& root) {
  CLI::App* const command = root.add_subcommand("experiment", "repeat a published figure on a simulated machine");
  explain_plainly(*command, "NAME");
  auto const given = std::make_shared<arguments>();
  command
      ->add_option("NAME", given->name, "e.g. adws-sc19/fig12, or a file of yours (.toml); without it: list them all")
      ->type_name("");
  command->add_option("--output", given->directory, "the directory for table, CSV, JSON and picture")
      ->type_name("DIR")
      ->capture_default_str();
  refuse_empty(*command, "--output");
  command->add_flag("--quick", given->quick, "small inputs and few points, to see that it runs");
  return {command, [given] { return execute(*given); }};
}

}  // namespace skua::cli
