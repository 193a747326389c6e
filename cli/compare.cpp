// SPDX-License-Identifier: MIT
// skua compare: one app under several policies and peers, in interleaved rounds, every answer verified.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "cli/compare/comparison.hpp"
#include "cli/compare/page_data.hpp"
#include "cli/measure/breakdown.hpp"
#include "cli/measure/map.hpp"
#include "cli/measure/measure.hpp"
#include "cli/measure/results.hpp"
#include "cli/measure/runner.hpp"
#include "cli/page/page.hpp"
#include "cli/page/page_sources.hpp"
#include "cli/probes/machine_facts.hpp"
#include "cli/subcommand.hpp"
#include "cli/text/app_arguments.hpp"
#include "cli/text/command_line.hpp"
#include "cli/text/interrupt.hpp"
#include "cli/text/json_row.hpp"
#include "cli/text/option_values.hpp"
#include "cli/text/output.hpp"
#include "cli/text/pool_flags.hpp"
#include "cli/text/progress.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/options.hpp"

namespace skua::cli {
namespace {

struct arguments {
  explicit arguments(parser command) : app(command) {}

  app_arguments app;
  pool_flags flags;
  std::string policies = "auto,random";
  std::optional<std::string> peers;
  std::optional<std::string> workers;
  std::optional<std::string> repeat;
  std::string warm_up = "1";
  std::string seed = "1";
  std::optional<bool> map_overlap;
  bool breakdown = false;
  std::string json_path;
  std::string html_path;
};

/// The given counts; by default 1 and the default number of workers.
std::vector<unsigned> worker_counts(arguments const& given) {
  std::vector<unsigned> all;
  if (given.workers) {
    for (std::string const& item : items_of("--workers", *given.workers))
      add_once(all, runtime::read_workers("--workers", item));
  } else {
    all.push_back(1);
    add_once(all, layout_of(given.flags.machine(), given.flags.options()).workers());
  }
  return all;
}

/// A breakdown compares with the serial elision, if the app has one, and with every policy on one worker. Adds and
/// names the ones that were not given.
std::vector<std::string> add_references(apps::app& app, std::vector<peer_choice>& chosen_peers,
                                        std::vector<unsigned>& counts) {
  std::vector<std::string> added;
  auto const serial = [](peer_choice const& p) { return !p.which->is_parallel; };
  if (app.elision() != nullptr && std::ranges::none_of(chosen_peers, serial)) {
    chosen_peers.push_back({&peer_of("--peers", "serial")});
    added.emplace_back("serial");
  }
  if (std::ranges::find(counts, 1U) == counts.end()) {
    counts.insert(counts.begin(), 1);
    added.emplace_back("every policy on one worker");
  }
  return added;
}

/// The given ones; by default all that the app has.
std::vector<peer_choice> peers_in(arguments const& given) {
  apps::app& app = given.app.chosen();
  std::vector<peer_choice> all;
  if (given.peers) {
    for (std::string const& name : names_in("--peers", *given.peers))
      add_new(all, peer_choice_of("--peers", name, app), "--peers", *given.peers);
  } else {
    for (std::string_view const name : peers_of(app)) all.push_back(peer_choice_of("--peers", name, app));
  }
  return all;
}

struct contest {
  std::vector<runner> runners;
  std::vector<std::string> added;  ///< for the breakdown
};

/// Makes each pool once and keeps it; the workers of idle pools sleep.
contest contest_of(arguments const& given) {
  std::vector<std::string> const policies = policies_in("--policies", given.policies);
  std::vector<peer_choice> chosen_peers = peers_in(given);
  if (policies.empty() && chosen_peers.empty() && !given.peers) {
    throw usage_error(fmt::format("--policies none is given for {}, which has no peers; allowed: at least one policy",
                                  given.app.chosen().name()));
  }
  if (policies.empty() && chosen_peers.empty())
    refuse_together("--policies none", "--peers none", "there is nothing to compare");
  refuse_unused(given.app, chosen_peers, !policies.empty(), "--peers", "--policies none");

  std::vector<unsigned> counts = worker_counts(given);
  std::vector<unsigned> const peer_counts = counts;
  for (peer_choice const& p : chosen_peers) {
    for (unsigned const workers : counts) refuse_too_many(*p.which, workers);
  }
  contest all;
  if (given.breakdown) all.added = add_references(given.app.chosen(), chosen_peers, counts);

  for (peer_choice const& p : chosen_peers) {
    if (!p.which->is_parallel) all.runners.push_back(runner_of(p, 1));
  }
  for (unsigned const workers : counts) {
    for (std::string const& name : policies) {
      pool_options options = given.flags.options();
      options.workers = workers;
      options.policy = name;
      all.runners.push_back(
          runner_of(std::make_shared<pool>(options), name, given.breakdown ? breaking_down::on : breaking_down::off));
    }
    if (std::ranges::find(peer_counts, workers) == peer_counts.end()) continue;
    for (peer_choice const& p : chosen_peers) {
      if (p.which->is_parallel) all.runners.push_back(runner_of(p, workers));
    }
  }
  return all;
}

std::string text_of(std::string_view app, machine_facts const& machine, measurement const& measured,
                    std::span<row const> rows) {
  bool const mapped = std::ranges::any_of(rows, [](row const& r) { return r.what->map.has_value(); });
  return fmt::format(
      "{}\n{}: {}, interleaved{}\nspeed-up: serial time / own time\n"
      "vs peer: time of the fastest parallel peer with as many workers / own time;\n"
      "  above 1 is faster than that peer\n{}\n{}",
      to_text(machine), app,
      in_words(measured.rounds, "round") +
          (interrupted() ? fmt::format(" of {} before an interrupt", measured.planned_rounds) : ""),
      wrong_answers(rows).empty() ? "; every answer verified" : "",
      mapped ? "overlap: work that stays on its worker; largest share: work of the busiest one\n" : "",
      report_of(rows).text());
}

/// Runs each of Skua's runners once more, after the timed runs, so that it does not disturb them.
void add_maps(apps::app& app, apps::mapped& maps, std::span<runner const> runners, std::span<record> records) {
  progress bar;
  for (std::size_t i = 0; i < runners.size() && !interrupted(); ++i) {
    if (!runners[i].run_mapped) continue;
    bar.show(static_cast<double>(i), static_cast<double>(runners.size()),
             fmt::format("map of {}", runners[i].full_name()));
    wait_until_quiet();
    map_once(app, maps, runners[i], true, records[i]);
  }
}

std::string breakdown_section(std::span<row const> rows, std::span<std::string const> added) {
  double worst = 0;
  for (row const& r : rows) {
    if (!r.what->breakdowns.empty()) worst = std::max(worst, usual(r.what->breakdowns).unaccounted);
  }
  std::string const also = added.empty() ? "" : fmt::format("Measured for this table: {}.\n", fmt::join(added, ", "));
  return fmt::format(
      "\nWhere the workers' time went, medians over the rounds.\n"
      "W_P/T_1 is work inflation: their work / the time of one worker under the same policy.\n"
      "T_1/T_S: that time / the time of the serial elision. Not accounted for: at most {}.\n{}\n{}",
      in_percent(worst), also, breakdown_text(rows));
}

/// Conditions that may have disturbed the measurement.
std::vector<std::string> notes_on(measurement const& measured, std::span<row const> rows) {
  std::vector<std::string> all;
  if (measured.restless > 0) {
    all.push_back(fmt::format("before {} of {} runs a peer's threads were still spinning (OMP_WAIT_POLICY?)",
                              measured.restless, measured.runs));
  }
  for (row const& r : rows) {
    if (!r.what->map || r.what->map->lost() == 0) continue;
    all.push_back(fmt::format("the map of {} lacks {} leaves, for which there was no memory", r.who->full_name(),
                              r.what->map->lost()));
  }
  return all;
}

std::string page_text(std::span<row const> rows, json const& document, measurement_plan const& plan,
                      measurement const& measured, std::vector<std::string> notes) {
  if (interrupted()) notes.insert(notes.begin(), interrupt_note(measured.rounds, measured.planned_rounds, "round"));
  comparison_origin const origin{
      .command = own_command_line(),
      .date = fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(std::chrono::system_clock::now())),
      .warm_up_rounds = plan.warm_up_rounds,
      .seed = plan.seed,
      .notes = std::move(notes)};
  return page_of({.name = "comparison", .subcommand = "compare", .script = page_sources::comparison_script()},
                 page_data(comparison(rows), document, origin));
}

measurement_plan plan_of(arguments const& given) {
  measurement_plan plan{.warm_up_rounds = read_whole_number("--warmup", given.warm_up, 0, 1'000'000),
                        .seed = read_whole_number("--seed-of-order", given.seed, 0, 0xffff'ffff)};
  if (given.repeat) plan.rounds = read_whole_number("--repeat", *given.repeat, 1, 1'000'000);
  return plan;
}

int execute(arguments const& given) {
  measurement_plan const plan = plan_of(given);
  refuse_same_file("--html", given.html_path, "--json", given.json_path);
  json_target const target(given.json_path);
  std::optional<text_target> page;
  if (!given.html_path.empty()) page.emplace(given.html_path);
  apps::app& app = given.app.chosen();
  // By default for apps that have maps.
  apps::mapped* const maps = given.map_overlap.value_or(false)  ? &maps_of(app, "--map-overlap")
                             : given.map_overlap.value_or(true) ? app.maps()
                                                                : nullptr;
  machine_facts const machine = look_at_machine();
  auto const [runners, added] = contest_of(given);
  app.prepare();

  measurement measured;
  {
    progress bar;
    measured = measure_rounds(app, runners, plan, [&](unsigned done, unsigned all, runner const& next) {
      bar.show(done, all, fmt::format("{}: {}", app.name(), next.full_name()));
    });
  }
  if (maps != nullptr) add_maps(app, *maps, runners, measured.records);
  finish_in_spite_of_interrupts();
  std::vector<row> const rows = rows_of(runners, measured.records);
  json document = document_of("compare", app.name(), given.app.given(), false);
  document["machine"] = to_json(machine);
  if (given.breakdown) document["added_for_breakdown"] = added;
  document["rows"] = report_of(rows).rows();
  for (std::size_t i = 0; i < rows.size(); ++i) document["rows"][i]["times_s"] = rows[i].what->times_s;
  std::vector<std::string> const notes = notes_on(measured, rows);
  target.write(document);
  if (page) page->write(page_text(rows, document, plan, measured, notes));
  if (!target.takes_stdout() && !(page && page->takes_stdout()))
    write_to_stdout(text_of(app.name(), machine, measured, rows) +
                    (given.breakdown ? breakdown_section(rows, added) : ""));
  for (std::string const& note : notes) write_to_stderr("compare: note: " + note);
  int const code = exit_code_after("compare", measured.rounds, measured.planned_rounds, "round");
  auto const wrong = wrong_answers(rows);
  if (wrong.empty()) return code;
  throw error(fmt::format("{}", fmt::join(wrong, "; ")));
}

}  // namespace

subcommand add_compare(parser root) {
  parser const command =
      root.add_subcommand("compare", "time one app under several policies and peers, in interleaved rounds");
  auto const given = std::make_shared<arguments>(command);
  command.add_option("--policies", given->policies, "NAMES", "Skua's schedulers, or none (default: auto,random)");
  command.add_option(
      "--peers", given->peers, "NAMES",
      "other runtimes, or none (default: all that the app has); with a loop style if it has styles: tbb:affinity");
  command.add_option("--workers", given->workers, "N,N,...",
                     "numbers of workers (default: 1 and the default of a pool)");
  command.add_option("--repeat", given->repeat, "N",
                     "timed rounds (default: at least 5, and more until 10 s are spent)");
  command.add_option("--warmup", given->warm_up, "N", "rounds before those, verified but not timed (default: 1)");
  command.add_option("--seed-of-order", given->seed, "N", "seed of the order within rounds (default: 1)");
  command.mode("--policies none", [given] { return given->policies == "none" ? "--policies none" : ""; });
  command
      .add_flag_function(
          "--map-overlap,!--no-map-overlap", [to = given.get()](std::int64_t count) { to->map_overlap = count > 0; },
          "in one more run each, measure the share of work that stays on its worker from iteration to iteration "
          "(default: "
          "if the app has maps), or not")
      .never_with("--policies none", "only Skua's workers record their leaves");
  command
      .add_flag("--breakdown", given->breakdown,
                "also show the workers' work, scheduling and idle time, and work inflation")
      .never_with("--policies none", "only Skua's workers have counters");
  add_json(command, given->json_path);
  command.add_option("--html", given->html_path, "FILE|-",
                     "write the result as a page with figures, for a browser; - is standard output");
  given->flags.add_to(command.never_with("--policies none", "only Skua's pools take it"),
                      {.workers = false, .policy = false});
  return {command, [given] { return execute(*given); }};
}

}  // namespace skua::cli
