// SPDX-License-Identifier: MIT
// skua balance: what the balancers of task collections do to a distribution of tasks, without running a task.
// [retentive-hpdc12 7.3, Table 3]
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "apps/picture/picture.hpp"
#include "apps/synthetic/dealing.hpp"
#include "apps/synthetic/loads.hpp"
#include "cli/balance/load_file.hpp"
#include "cli/balance/load_output.hpp"
#include "cli/balance/loads_picture.hpp"
#include "cli/balance/results.hpp"
#include "cli/balance/vt_files.hpp"
#include "cli/subcommand.hpp"
#include "cli/text/interrupt.hpp"
#include "cli/text/option_values.hpp"
#include "cli/text/output.hpp"
#include "cli/text/progress.hpp"
#include "skua/machine/ranks/simulated/balance_time.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/printable.hpp"
#include "skua/policy/balance/balancers.hpp"

namespace skua::cli {
namespace {

namespace balance = policies::balance;

struct arguments {
  std::string distribution = "table3";
  std::string loads;
  std::optional<std::string> unit;
  std::optional<std::string> phase;
  std::optional<std::string> ranks;
  std::string tasks = std::to_string(apps::synthetic::tasks_of_table3);
  std::string how = "centralised,hierarchical,tempered";
  std::string pattern = "4,4";
  std::string cost_model = "0";
  std::string repeat = "1";
  std::string seed = "1";
  std::string machine;
  std::string output;
  std::string picture;
  std::string json_path;
};

/// Before anything is read or written. Throws usage_error for a file that has two uses, and what require_writable throws.
void require_own_files(arguments const& given) {
  refuse_same_file("--json", given.json_path, "--loads", given.loads);
  refuse_same_file("--output", given.output, "--json", given.json_path);
  if (given.picture.empty()) return;
  refuse_same_file("--picture", given.picture, "--loads", given.loads);
  refuse_same_file("--picture", given.picture, "--output", given.output);
  refuse_same_file("--picture", given.picture, "--json", given.json_path);
  apps::require_file_name("--picture", given.picture, {".svg"});
  require_writable(given.picture);
}

/// N,M: every N-th rank takes M tasks in a row.
apps::synthetic::favour read_pattern(std::string_view text) {
  auto const comma = text.find(',');
  if (comma == std::string_view::npos) refuse("--pattern", text, "N,M: every N-th rank takes M tasks in a row");
  return {read_whole_number("--pattern", text.substr(0, comma), 1, 1'000'000),
          read_whole_number("--pattern", text.substr(comma + 1), 1, 1'000'000)};
}

/// With the mean of the paper's tasks, 0.54 s, so that the ideal of 2400 ranks is the paper's 48 s.
std::vector<load_ns> tasks_of(arguments const& given, balance_frame const& frame) {
  auto const& names = apps::synthetic::shape_names;
  auto const found = std::ranges::find(names, given.distribution);
  if (found == names.end()) refuse_name("--distribution", given.distribution, {names.begin(), names.end()});
  auto const shape = static_cast<apps::synthetic::shape>(found - names.begin());
  if (shape != apps::synthetic::shape::table3 && frame.cost_model > 0) {
    refuse_together("--cost-model", "--distribution " + given.distribution, "only the tasks of table3 are counts");
  }
  std::uint32_t const tasks = read_whole_number("--tasks", given.tasks, 1, 100'000'000);
  return apps::synthetic::loads({shape, 0.54e9, frame.cost_model}, tasks, frame.seed);
}

/// Phases of files have any number below 2^64.
std::uint64_t phase_in(std::string const& text) {
  std::uint64_t phase = 0;
  auto const [end, fault] = std::from_chars(text.data(), text.data() + text.size(), phase);
  if (fault != std::errc{} || end != text.data() + text.size())
    refuse("--phase", text, fmt::format("a whole number from 0 to {}", std::numeric_limits<std::uint64_t>::max()));
  return phase;
}

std::uint32_t ranks_in(std::string const& text) { return read_whole_number("--ranks", text, 1, most_ranks); }

load_set read_file_of(arguments const& given) {
  load_request wanted{.keeps_entities = !given.output.empty()};
  if (given.ranks) wanted.ranks = ranks_in(*given.ranks);
  if (given.phase) wanted.phase = phase_in(*given.phase);
  if (stands_for_vt_files(given.loads)) {
    if (given.unit) refuse_together("--unit", "--loads " + given.loads, "the times of DARMA vt's files are seconds");
    return read_vt_files(given.loads, wanted);
  }
  if (given.unit) {
    auto const found = std::ranges::find(names_of_units, *given.unit);
    if (found == std::end(names_of_units))
      refuse_name("--unit", *given.unit, {std::begin(names_of_units), std::end(names_of_units)});
    wanted.unit = static_cast<load_unit>(found - std::begin(names_of_units));
  }
  return read_loads_file(given.loads, wanted);
}

/// Throws usage_error for a task that may not move.
void require_migratable(load_set const& read, std::string const& path) {
  for (std::size_t r = 0; r < read.entities.size(); ++r) {
    auto const fixed =
        static_cast<std::uint64_t>(std::ranges::count(read.entities[r], false, &task_entity::migratable));
    if (fixed == 0) continue;
    throw usage_error(runtime::printable(fmt::format("{}: {} of rank {} cannot migrate; allowed: tasks that all can",
                                                     path, in_words(fixed, "task"), r)));
  }
}

/// `source` gets what the file says.
machine_loads loads_of(arguments const& given, balance_frame& frame, load_set& source) {
  if (!given.loads.empty()) {
    frame.distribution = given.loads;
    source = read_file_of(given);
    require_migratable(source, given.loads);
    if (!given.output.empty()) require_output_of(source, given.loads, given.output);
    frame.phase = source.phase;
    frame.phase_text = source.phase_text;
    frame.notes = source.notes;
    if (given.output.empty()) return std::move(source.loads);
    return source.loads;
  }
  frame.distribution = given.distribution;
  frame.pattern = given.pattern;
  frame.cost_model =
      read_number("--cost-model", given.cost_model, 0, 1000, "a number from 0 to 1000, such as 0, 0.25 or 0.9");
  apps::synthetic::favour const favoured = read_pattern(given.pattern);
  std::uint32_t const ranks = given.ranks ? ranks_in(*given.ranks) : 2400;
  std::vector<load_ns> const tasks = tasks_of(given, frame);
  return apps::synthetic::loads_of(apps::synthetic::deal(tasks, ranks, favoured), tasks);
}

/// True if the same loads exist afterwards.
bool conserves(machine_loads const& before, machine_loads const& after) {
  auto const sorted = [](machine_loads const& loads) {
    std::vector<load_ns> all;
    for (auto const& rank : loads) all.insert(all.end(), rank.begin(), rank.end());
    std::ranges::sort(all);
    return all;
  };
  return sorted(before) == sorted(after);
}

/// A number for each task, rank by rank. It moves with the task.
machine_loads numbered(machine_loads const& loads) {
  machine_loads numbers(loads.size());
  load_ns next = 0;
  for (std::size_t r = 0; r < loads.size(); ++r) {
    for (std::size_t t = 0; t < loads[r].size(); ++t) numbers[r].push_back(next++);
  }
  return numbers;
}

/// What is applied to what.
struct plan_of_rows {
  std::vector<std::string> balancers;
  std::uint32_t applications = 1;
  std::uint32_t seed = 1;
  std::optional<ranks::cluster> where;
};

/// Each balancer begins with the same loads and is applied several times, as between iterations. After an interrupt
/// only complete rows are there. `placed`: the numbers of the tasks of each rank, which follow the last balancer; or null.
std::vector<balance_row> rows_of(plan_of_rows const& todo, machine_loads const& first, machine_loads* placed) {
  auto const& [balancers, applications, seed, where] = todo;
  std::vector<balance_row> rows;
  progress bar("application");
  for (std::string const& name : balancers) {
    balance::balancer const by = balance::make_balancer(name);
    machine_loads loads = first;
    if (placed != nullptr) *placed = numbered(first);
    for (std::uint32_t i = 1; i <= applications; ++i) {
      if (interrupted()) return rows;
      if (!rows.empty()) keep_after_interrupts();
      bar.show(static_cast<double>(rows.size()), static_cast<double>(balancers.size() * applications), name);
      auto const begin = std::chrono::steady_clock::now();
      balance::balance_plan const plan = balance::rebalance(loads, by, seed + i - 1);
      std::chrono::duration<double> const took = std::chrono::steady_clock::now() - begin;
      machine_loads moved = balance::after(loads, plan.migrations);
      // Those of a million ranks after a thousand applications would fill the memory.
      if (i > 1) rows.back().loads_after = std::vector<load_ns>{};
      balance_row& row = rows.emplace_back(balance_row{.balancer = name, .application = i, .report = plan.report});
      row.loads_after = balance::totals_of(moved);
      row.seconds = took.count();
      row.conserved = conserves(loads, moved);
      if (where) {
        row.cluster_s = ranks::time_to_balance(*where, loads, by, seed + i - 1).seconds;
      }
      if (placed != nullptr) *placed = balance::after(*placed, plan.migrations);
      loads = std::move(moved);
    }
  }
  return rows;
}

std::string line_of_file(std::string_view what, std::string const& path) {
  return fmt::format("{}: {}\n", what, runtime::printable(path, path.size()));
}

int execute(arguments const& given) {
  require_own_files(given);
  json_target const target(given.json_path);
  plan_of_rows todo{.balancers = balancers_in("--how", given.how), .where = {}};
  bool const is_written = !given.output.empty();
  if (is_written && todo.balancers.size() != 1)
    refuse("--how", given.how, "one balancer, whose placement is the output");
  todo.applications = read_whole_number("--repeat", given.repeat, 1, 1000);
  todo.seed = read_whole_number("--seed", given.seed, 0, 0xffff'ffff);
  balance_frame frame;
  frame.seed = todo.seed;
  if (!given.machine.empty()) {
    todo.where = ranks::cluster_named(given.machine);
    frame.cluster = todo.where->name;
  }
  load_set source;
  machine_loads const loads = loads_of(given, frame, source);
  frame.loads_before = balance::totals_of(loads);
  frame.before = balance::plan_of(loads, {}, balance::hierarchical_options{}.arity).report;
  machine_loads placed;
  std::vector<balance_row> const rows = rows_of(todo, loads, is_written ? &placed : nullptr);
  if (rows.empty()) stop_if_interrupted();
  finish_in_spite_of_interrupts();
  frame.applications = rows.size();
  frame.planned_applications = todo.balancers.size() * todo.applications;
  if (is_written) write_output(source, placed, given.output);
  if (!given.picture.empty()) write_to_file(given.picture, loads_picture(frame, rows));
  target.write(to_json(frame, rows));
  if (!target.takes_stdout()) {
    std::string text = text_of(frame, rows);
    if (!given.picture.empty()) text += line_of_file("Picture of the loads", given.picture);
    if (is_written) text += line_of_file("New placement", given.output);
    write_to_stdout(text);
  }
  int const code = exit_code_after("balance", frame.applications, frame.planned_applications, "application");
  return std::ranges::all_of(rows, &balance_row::conserved) ? code : exit_failed;
}

}  // namespace

subcommand add_balance(parser root) {
  parser const command = root.add_subcommand("balance", "compare balancers of task collections on a distribution");
  auto const given = std::make_shared<arguments>();
  auto const add = [](parser const& to, char const* name, std::string& value, char const* kind, char const* about) {
    to.add_option(name, value, kind, about).shows_default().refuses_empty();
  };
  parser const of_distributions = command.never_with("--loads", "the file has all loads");
  add(of_distributions, "--distribution", given->distribution, "NAME",
      "table3: the tasks of a Fock build of Be256; lognormal, uniform or equal");
  add(of_distributions, "--tasks", given->tasks, "N", "how many tasks");
  add(of_distributions, "--pattern", given->pattern, "N,M",
      "tasks are sorted and dealt out, and every N-th rank takes M in a row");
  add(of_distributions, "--cost-model", given->cost_model, "F",
      "each task of table3 costs F times the mean more, e.g. 0, 0.25 or 0.9");
  command.add_option("--ranks", given->ranks, "N",
                     "how many ranks share the tasks (default: 2400, or those of the file)");
  add(command, "--loads", given->loads, "FILE",
      "loads from a file with lines rank,load or rank,load,phase instead, or from DARMA vt's files: STEM.RANK.json, or "
      "their directory");
  parser const of_files = command.only_with("--loads", "a distribution has one phase, and times");
  of_files.add_option("--unit", given->unit, "UNIT", "of the loads in a file with lines: s, ms, us or ns (default)");
  of_files.add_option(
      "--output", given->output, "FILE",
      "write the placement of the only balancer of --how in the form of the loads: a file with lines, or a directory");
  of_files.add_option("--phase", given->phase, "N", "the phase that counts (default: the last one)");
  add(command, "--how", given->how, "LIST", "the balancers, as NAME or NAME:OPTION,...; skua list shows all");
  add(command, "--machine", given->machine, "NAME",
      "also the time with all messages on a cluster (hopper, intrepid, titan or FILE), simulated");
  add(command, "--repeat", given->repeat, "K", "apply each balancer K times");
  add(command, "--seed", given->seed, "N", "of every random choice");
  command.add_option("--picture", given->picture, "FILE", "draw the load of each rank before and after (.svg)");
  add_json(command, given->json_path);
  return {command, [given] { return execute(*given); }};
}

}  // namespace skua::cli
