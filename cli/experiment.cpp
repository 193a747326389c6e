// SPDX-License-Identifier: MIT
// skua experiment: repeats a published figure or table on a simulated machine.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/experiment/definition.hpp"
#include "cli/experiment/results.hpp"
#include "cli/experiment/sensitivity.hpp"
#include "cli/experiment/study.hpp"
#include "cli/subcommand.hpp"
#include "cli/text/interrupt.hpp"
#include "cli/text/option_values.hpp"
#include "cli/text/output.hpp"
#include "cli/text/progress.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::cli {
namespace {

constexpr char const* every_figure = "all";

struct arguments {
  std::string name;
  std::string directory = "experiments-results";
  std::vector<std::string> panels;
  std::optional<std::string> vary;
  std::optional<std::string> machine;
  double threshold_percent = 5;
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

/// Complete results of an earlier run stay beside the incomplete ones of an interrupted run.
std::string interrupt_ending(std::size_t done, std::size_t planned) { return done < planned ? "-interrupted" : ""; }

/// "adws-sc19/fig12" in DIR: DIR/adws-sc19-fig12; with the panel "N = 2048" only: DIR/adws-sc19-fig12-N-2048; on another machine
/// DIR/adws-sc19-fig12-on-MACHINE
std::string stem_of(experiment const& e, arguments const& given) {
  std::string name = e.name.ends_with(".toml") ? e.name.substr(0, e.name.size() - 5) : e.name;
  for (std::string const& panel : given.panels) name += "/" + panel;
  if (given.machine) name += "/on " + std::filesystem::path(*given.machine).stem().string();
  std::string stem;
  for (char const c : name) {
    bool const plain =
        (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.';
    if (plain) {
      stem += c;
    } else if (!stem.ends_with('-')) {
      stem += '-';
    }
  }
  return (std::filesystem::path(given.directory) / stem).string();
}

void make_directory(std::string const& path) {
  std::error_code fault;
  std::filesystem::create_directories(path, fault);
  if (fault) throw resource_error(fmt::format("cannot make the directory {}: {}", path, fault.message()));
}

int vary(arguments const& given, experiment const& what) {
  variation const how{.figures = varied_figures_in("--vary", *given.vary), .threshold = given.threshold_percent / 100};
  make_directory(given.directory);
  std::size_t at = 0, planned = 0;
  progress bar("point");
  experiment_study study(
      what, false, [&](std::string_view now) { bar.show(static_cast<double>(at), static_cast<double>(planned), now); });
  sensitivities const found = sensitivities_of(study, how, [&](std::size_t done, std::size_t all) {
    at = done;
    planned = all;
  });
  bar.wipe();
  finish_in_spite_of_interrupts();
  if (found.done == 0) stop_if_interrupted();
  std::string const stem = stem_of(what, given) + "-vary" + interrupt_ending(found.done, found.planned);
  std::string const text = text_of(found);
  text_target(stem + ".csv").write(csv_of(found));
  json_target(stem + ".json").write(to_json(found, study.machine()));
  text_target(stem + ".txt").write(text);
  write_to_stdout(text + fmt::format("\nwritten: {0}.csv, {0}.json, {0}.txt\n", stem));
  return exit_code_after("experiment", found.done, found.planned, "simulated point");
}

int execute(arguments const& given) {
  if (given.name.empty()) return list_all();
  experiment const what = with_panels(load_experiment(given.name, given.machine), given.panels);
  if (given.vary) return vary(given, what);
  make_directory(given.directory);
  std::size_t at = 0, planned = 0;
  progress bar("point");
  experiment_study study(what, given.quick, [&](std::string_view now) {
    bar.show(static_cast<double>(at), static_cast<double>(planned), now);
  });
  experiment_results const results = run_experiment(study, [&](std::size_t done, std::size_t all) {
    at = done;
    planned = all;
  });
  bar.wipe();
  finish_in_spite_of_interrupts();
  std::string const stem =
      stem_of(what, given) + (given.quick ? "-quick" : "") + interrupt_ending(results.done, results.planned);
  std::string const text = text_of(results);
  text_target(stem + ".csv").write(csv_of(results));
  if (!results.verdicts.empty()) text_target(stem + "-verdicts.csv").write(verdicts_csv(results));
  json_target(stem + ".json").write(to_json(results, study.machine()));
  text_target(stem + ".svg").write(picture_of(results));
  text_target(stem + ".txt").write(text);
  std::string const verdicts = results.verdicts.empty() ? "" : fmt::format("{}-verdicts.csv, ", stem);
  write_to_stdout(text + fmt::format("written: {0}.csv, {1}{0}.json, {0}.svg, {0}.txt\n", stem, verdicts));
  return exit_code_after("experiment", results.done, results.planned, "simulated point");
}

}  // namespace

subcommand add_experiment(parser root) {
  parser const command = root.add_subcommand("experiment", "repeat a published figure on a simulated machine");
  auto const given = std::make_shared<arguments>();
  command.add_option("NAME", given->name, "",
                     "e.g. adws-sc19/fig12, or your own file (.toml); without it: list them all");
  command.mode("NAME", [given] { return given->name; });
  parser const of_one = command.only_with("NAME", "without it there is only a list");
  of_one.add_option("--output", given->directory, "DIR", "the directory for table, CSV, JSON and picture")
      .shows_default();
  of_one.add_option("--panel", given->panels, "NAME", "only this panel, e.g. \"N = 2048\"; may be given several times")
      .repeatable();
  of_one.add_option("--machine", given->machine, "NAME|FILE", "a machine model in place of the experiment's own");
  // A missing value arrives as the default: without a NAME in front, the NAME was taken for FIGURES.
  command
      .add_option_function(
          "--vary",
          [given](std::string const& list) {
            given->vary = list == every_figure ? "" : list;
            return !list.empty();
          },
          "FIGURES",
          "on which assumed figures of the machine the verdicts hang: each alone at both ends of its range; FIGURES is "
          "a "
          "list such as prices.steal_ns,shared_cache.bytes=1e7:4e7")
      .or_without_value(every_figure)
      .only_with("NAME", "--vary takes the word behind it: skua experiment NAME --vary");
  of_one
      .add_option("--threshold", given->threshold_percent, "PERCENT",
                  "with --vary: the least change of a value to show, 0 to 1000 percent")
      .between(0, 1000)
      .shows_default()
      .only_with("--vary", "only a variation omits small changes");
  of_one.add_flag("--quick", given->quick, "small inputs and few points, to see that it runs")
      .never_with("--vary", "small inputs neither confirm nor refute a statement");
  return {command, [given] { return execute(*given); }};
}

}  // namespace skua::cli
