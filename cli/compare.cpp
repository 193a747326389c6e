// SPDX-License-Identifier: MIT
// skua compare: one app under several policies and peers, in interleaved rounds, every answer verified.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>

#include "cli/app_words.hpp"
#include "cli/breakdown.hpp"
#include "cli/help.hpp"
#include "cli/interrupt.hpp"
#include "cli/machine_facts.hpp"
#include "cli/map_words.hpp"
#include "cli/measure.hpp"
#include "cli/names.hpp"
#include "cli/output.hpp"
#include "cli/policy_list.hpp"
#include "cli/pool_flags.hpp"
#include "cli/progress.hpp"
#include "cli/report.hpp"
#include "cli/runner.hpp"
#include "cli/verb.hpp"
#include "cli/whole_number.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/options.hpp"

namespace skua::cli {
namespace {

struct request {
  explicit request(CLI::App& words) : app(words) {}

  app_words app;
  pool_flags flags;
  std::string policies = "random,hierarchical";
  std::string peers = "serial,openmp,tbb";
  std::optional<std::string> workers;
  std::optional<std::string> repeat;
  std::string warm_up = "1";
  std::string seed = "1";
  std::optional<bool> map_overlap;
  bool breakdown = false;
  std::string where;
};

/// As asked; else 1 and as many as a pool would have.
std::vector<unsigned> worker_counts(request const& asked) {
  std::vector<unsigned> all;
  if (asked.workers) {
    for (std::string const& item : items_of("--workers", *asked.workers))
      add_once(all, runtime::read_workers("--workers", item));
  } else {
    all.push_back(1);
    add_once(all, layout_of(asked.flags.machine(), asked.flags.options()).workers());
  }
  return all;
}

/// What a breakdown is measured against: the serial elision, and every policy on one worker. What of that nobody asked
/// for is added, and named.
std::vector<std::string> add_references(std::vector<peer_choice>& chosen_peers, std::vector<unsigned>& counts) {
  std::vector<std::string> added;
  auto const serial = [](peer_choice const& p) { return !p.which->is_parallel; };
  if (std::ranges::none_of(chosen_peers, serial)) {
    chosen_peers.push_back({&peer_of("--peers", "serial")});
    added.emplace_back("serial");
  }
  if (std::ranges::find(counts, 1U) == counts.end()) {
    counts.insert(counts.begin(), 1);
    added.emplace_back("every policy on one worker");
  }
  return added;
}

struct contest {
  std::vector<runner> runners;
  std::vector<std::string> added;  ///< for the breakdown
};

/// Each pool is made once and kept; pools that do nothing sleep.
contest contest_of(request const& asked) {
  std::vector<std::string> const policies = policies_in("--policies", asked.policies);
  std::vector<peer_choice> chosen_peers;
  for (std::string const& name : names_in("--peers", asked.peers))
    add_once(chosen_peers, peer_choice_of("--peers", name, asked.app.chosen()));
  if (policies.empty() && chosen_peers.empty())
    throw usage_error("--policies none --peers none: there is nothing to compare");
  if (policies.empty()) asked.flags.refuse_all_but({}, "--policies none", "it is for Skua's pools");

  std::vector<unsigned> counts = worker_counts(asked);
  std::vector<unsigned> const peer_counts = counts;
  for (peer_choice const& p : chosen_peers) {
    for (unsigned const workers : counts) refuse_too_many(*p.which, workers);
  }
  if (asked.breakdown && policies.empty())
    throw usage_error("--breakdown needs a policy: only Skua's workers are counted; --policies names some");
  contest all;
  if (asked.breakdown) all.added = add_references(chosen_peers, counts);

  for (peer_choice const& p : chosen_peers) {
    if (!p.which->is_parallel) all.runners.push_back(runner_of(p, 1));
  }
  for (unsigned const workers : counts) {
    for (std::string const& name : policies) {
      pool_options options = asked.flags.options();
      options.workers = workers;
      options.policy = name;
      all.runners.push_back(
          runner_of(std::make_shared<pool>(options), name, asked.breakdown ? breaking_down::on : breaking_down::off));
    }
    if (std::ranges::find(peer_counts, workers) == peer_counts.end()) continue;
    for (peer_choice const& p : chosen_peers) {
      if (p.which->is_parallel) all.runners.push_back(runner_of(p, workers));
    }
  }
  return all;
}

std::string for_people(std::string_view app, machine_facts const& machine, std::span<row const> rows) {
  return fmt::format(
      "{}\n{}: {} rounds, interleaved. speed-up: serial time / own time. vs peer: time of the best parallel\n"
      "peer with as many workers / own time, so above 1 is faster than that peer.\n\n{}",
      to_text(machine), app, rows.front().what->times_s.size(), to_table(rows));
}

/// One more run of each of Skua's runners, after the timed ones, which are not disturbed by it.
void add_maps(apps::app& app, apps::mapped& maps, std::span<runner const> runners, std::span<record> records) {
  progress bar;
  for (std::size_t i = 0; i < runners.size(); ++i) {
    if (!runners[i].run_mapped) continue;
    stop_if_interrupted();
    bar.show(static_cast<double>(i) / static_cast<double>(runners.size()),
             fmt::format("map of {}", name_of(runners[i])));
    settle();
    map_once(app, maps, runners[i], true, records[i]);
  }
  stop_if_interrupted();
}

std::string breakdown_for_people(std::span<row const> rows, std::span<std::string const> added) {
  double worst = 0;
  for (row const& r : rows) {
    if (!r.what->breakdowns.empty()) worst = std::max(worst, usual(r.what->breakdowns).unaccounted);
  }
  std::string const also = added.empty() ? "" : fmt::format("Measured for this table: {}.\n", fmt::join(added, ", "));
  return fmt::format(
      "\nWhere the workers' time went: medians over the rounds. W_P/T_1: work inflation, their work / the time of one\n"
      "worker under the same policy. T_1/T_S: that time / the serial elision's. Not accounted for: at most "
      "{:.1f}%.\n{}\n{}",
      worst * 100, also, breakdown_table(rows));
}

int carry_out(request const& asked) {
  measurement_plan plan{.warm_up_rounds = read_whole_number("--warmup", asked.warm_up, 0, 1'000'000),
                        .seed = read_whole_number("--seed-of-order", asked.seed, 0, 0xffff'ffff)};
  if (asked.repeat) plan.rounds = read_whole_number("--repeat", *asked.repeat, 1, 1'000'000);
  json_target const target(asked.where);
  apps::app& app = asked.app.chosen();
  // Unless it is asked for or forbidden: of apps that can.
  apps::mapped* const maps = asked.map_overlap.value_or(false)  ? &maps_of(app, "--map-overlap")
                             : asked.map_overlap.value_or(true) ? app.maps()
                                                                : nullptr;
  machine_facts const machine = look_at_machine();
  auto const [runners, added] = contest_of(asked);
  app.prepare();

  measurement measured;
  {
    progress bar;
    measured = measure_rounds(app, runners, plan, [&](double done, runner const& next) {
      bar.show(done, fmt::format("{}: {}", app.name(), name_of(next)));
    });
  }
  if (maps != nullptr) add_maps(app, *maps, runners, measured.records);
  std::vector<row> const rows = rows_of(runners, measured.records);
  json document = report(app.name(), machine, rows);
  if (asked.breakdown) document["added_for_breakdown"] = added;
  target.write(document);
  if (!target.takes_stdout()) {
    write_to_stdout(for_people(app.name(), machine, rows) + (asked.breakdown ? breakdown_for_people(rows, added) : ""));
  }
  if (measured.restless > 0) {
    std::fputs(
        fmt::format(
            "skua: compare: note: before {} of {} runs a peer's threads were still spinning (OMP_WAIT_POLICY?)\n",
            measured.restless, measured.runs)
            .c_str(),
        stderr);
  }
  for (row const& r : rows) {
    if (!r.what->map || r.what->map->lost() == 0) continue;
    std::fputs(fmt::format("skua: compare: note: the map of {} lacks {} leaves: there was no memory to note them\n",
                           name_of(*r.who), r.what->map->lost())
                   .c_str(),
               stderr);
  }
  auto const wrong = complaints(rows);
  if (wrong.empty()) return exit_done;
  throw error(fmt::format("{}", fmt::join(wrong, "; ")));
}

}  // namespace

verb add_compare(CLI::App& root) {
  CLI::App* const words = root.add_subcommand("compare", "run one app under several policies and peers, interleaved");
  explain_plainly(*words, "APP");
  auto const asked = std::make_shared<request>(*words);
  auto const add = [&](char const* name, auto& value, char const* kind, char const* about) {
    words->add_option(name, value, about)->type_name(kind);
  };
  add("--policies", asked->policies, "NAMES", "Skua's schedulers, or none (default: random,hierarchical)");
  add("--peers", asked->peers, "NAMES",
      "other runtimes, or none (default: serial,openmp,tbb); tbb:affinity: in this style, if the app has it");
  add("--workers", asked->workers, "N,N,..", "numbers of workers (default: 1 and what a pool has by default)");
  add("--repeat", asked->repeat, "N", "rounds (default: at least 5, more until 10 s are spent)");
  add("--warmup", asked->warm_up, "N", "rounds before those, verified but not timed (default: 1)");
  add("--seed-of-order", asked->seed, "N", "of the order within rounds (default: 1)");
  words->add_flag_function(
      "--map-overlap,!--no-map-overlap", [to = asked.get()](std::int64_t count) { to->map_overlap = count > 0; },
      "share of work that stays on its worker from iteration to iteration, from one more run each (default: if the app "
      "can tell), or not");
  words->add_flag("--breakdown", asked->breakdown,
                  "show the workers' work, scheduling and idle time, and work inflation");
  add_json(*words, asked->where);
  asked->flags.add_to(*words, {.workers = false, .policy = false});
  return {words, [asked] { return carry_out(*asked); }};
}

}  // namespace skua::cli
