// SPDX-License-Identifier: MIT
// skua experiment: repeat a published figure or table on a simulated machine.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/experiment/definition.hpp"
#include "cli/experiment/report.hpp"
#include "cli/experiment/study.hpp"
#include "cli/help.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/table.hpp"
#include "cli/verb.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::cli {
namespace {

struct request {
  std::string name;
  std::string directory = "experiments-results";
  bool quick = false;
};

int list_all() {
  table t({{"experiment"}, {"what"}, {"where"}});
  for (std::string_view const name : shipped_experiments()) {
    experiment const e = load_experiment(std::string{name});
    t.add({e.name, e.title, e.where});
  }
  write_to_stdout(t.text() + "run one: skua experiment NAME (add --quick for small inputs)\n");
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

int carry_out(request const& asked) {
  if (asked.name.empty()) return list_all();
  experiment const what = load_experiment(asked.name);
  make_directory(asked.directory);
  std::string const stem = stem_of(what, asked.directory) + (asked.quick ? "-quick" : "");
  progress bar;
  experiment_study study(what, asked.quick, [&](std::string_view now) { bar.show(0, now); });
  experiment_results const results = run_experiment(study);
  bar.wipe();
  stop_if_interrupted();
  std::string const said = heading(results) + "\n" + table_for_people(results) + "\n" + stated_for_people(results) +
                           verdicts_for_people(results);
  finish_in_spite_of_interrupts();
  text_target(stem + ".csv").write(csv_of(results));
  text_target(stem + ".svg").write(picture_of(results));
  text_target(stem + ".txt").write(said);
  write_to_stdout(said + fmt::format("written: {0}.csv, {0}.svg, {0}.txt\n", stem));
  return exit_done;
}

}  // namespace

verb add_experiment(CLI::App& root) {
  CLI::App* const words = root.add_subcommand("experiment", "repeat a published figure on a simulated machine");
  explain_plainly(*words, "NAME");
  auto const asked = std::make_shared<request>();
  words->add_option("name", asked->name, "as adws-sc19/fig12, or your own file (.toml); left out: all are listed")
      ->type_name("");
  words->add_option("--output", asked->directory, "where table, CSV and picture go")
      ->type_name("DIR")
      ->capture_default_str();
  refuse_nothing(*words, "--output");
  words->add_flag("--quick", asked->quick, "small inputs, few points: does it run?");
  return {words, [asked] { return carry_out(*asked); }};
}

}  // namespace skua::cli
