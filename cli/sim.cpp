// SPDX-License-Identifier: MIT
// skua sim: one app under several policies on a modelled machine, in virtual time.
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "cli/simulate/flags.hpp"
#include "cli/simulate/on_ranks.hpp"
#include "cli/simulate/results.hpp"
#include "cli/simulate/setting.hpp"
#include "cli/simulate/study.hpp"
#include "cli/simulate/sweep.hpp"
#include "cli/simulate/trace.hpp"
#include "cli/subcommand.hpp"
#include "cli/text/app_arguments.hpp"
#include "cli/text/interrupt.hpp"
#include "cli/text/json_row.hpp"
#include "cli/text/option_values.hpp"
#include "cli/text/output.hpp"
#include "cli/text/progress.hpp"

namespace skua::cli {
namespace {

struct arguments {
  explicit arguments(parser command) : app(command) {}

  app_arguments app;
  sim_flags flags;
  rank_flags ranks;
  sim_trace_flags trace;
  bool verify = true;
  bool alone = true;
  bool breakdown = false;
  bool progress = false;
  std::string json_path;
};

int execute_on_ranks(arguments const& given) {
  json_target const target(given.json_path);
  ranks::cluster const where = ranks::cluster_named(given.flags.machine().value_or("hopper"));
  apps::app& app = given.app.chosen();
  given.app.refuse_unused(apps::ways::simulated_ranks, "--ranks");
  std::uint64_t const seed = given.flags.seed(given.app);
  rank_flags flags = given.ranks.with(given.app.given());
  flags.check();
  apps::ranks_load const load = load_for_ranks(app);
  if (load.has_whole_times) flags.forbid_floor(app.name());
  std::uint32_t const iterations = flags.iterations();
  bool const prints = !target.takes_stdout();
  auto const begin = std::chrono::steady_clock::now();
  if (prints) {
    write_to_stdout(fmt::format(
        "{} on {} of {}, simulated (assumed: {}; every task takes {} of the mean besides its work)\n", app.name(),
        in_words(flags.ranks(), "rank"), where.name, where.assumed, in_percent(flags.floor(), 0)));
  }
  progress bar("iteration");
  std::vector<ranks_iteration> const all = simulate_on_ranks(load, where, flags, seed, [&](std::uint32_t done) {
    if (done > 0) keep_after_interrupts();
    bar.show(done, iterations, fmt::format("{} simulated ranks", flags.ranks()));
  });
  bar.wipe();
  finish_in_spite_of_interrupts();
  report const table = report_of(all, flags.balance());
  json document = document_of("sim --ranks", app.name(), given.app.given(), true);
  document["cluster"] = {{"name", where.name}, {"assumed", where.assumed}, {"ranks_per_node", where.ranks_per_node}};
  document["ranks"] = flags.ranks();
  document["balance"] = flags.balance();
  document["floor_share"] = flags.floor();
  document["variation_share"] = flags.variation();
  document["variation_pattern"] = apps::synthetic::pattern_words[static_cast<std::size_t>(flags.pattern())];
  document["every_attempt"] = flags.every_attempt();
  document["victims"] = flags.victims();
  document["first_seed"] = seed;
  document["rows"] = table.rows();
  target.write(document);
  if (prints) write_to_stdout(interrupt_line(all.size(), iterations, "iteration") + table.text("  "));
  if (given.progress) {
    std::chrono::duration<double> const took = std::chrono::steady_clock::now() - begin;
    write_to_stderr(fmt::format("sim: {:.1f} s", took.count()));
  }
  return exit_code_after("sim", all.size(), iterations, "iteration");
}

/// A trace is of one run.
void check_trace(arguments const& given) {
  if (!given.trace.wanted()) return;
  constexpr auto allowed = "one policy, one number of workers and one seed: --policies adws --workers 64";
  if (given.flags.policies().size() > 1 || given.flags.workers(given.flags.model()).size() > 1 ||
      given.flags.seeds() > 1) {
    refuse("--trace", given.trace.path(), allowed);
  }
  static_cast<void>(given.trace.bytes());
}

/// The run that was asked for, and not the one on one worker that it is compared with.
void trace_in(sim_study& study, arguments const& given) {
  if (!given.trace.wanted()) return;
  std::uint32_t const workers = given.flags.workers(study.machine()).front();
  study.watch([&given, workers, machine = std::string(study.machine().name())](
                  std::string const& policy, layout const& where, std::uint64_t seed,
                  sim::tick ticks_per_ns) -> std::unique_ptr<sim::observer> {
    if (where.workers() != workers) return nullptr;
    return std::make_unique<traced_run>(given.trace, given.app.chosen().name(), policy, machine, seed, where,
                                        ticks_per_ns);
  });
}

int execute(arguments const& given) {
  if (given.ranks.wanted()) return execute_on_ranks(given);
  check_trace(given);
  json_target const target(given.json_path);
  sim_setting setting(given.app, given.flags, given.verify);
  trace_in(setting.study, given);
  sim_frame& frame = setting.frame;
  auto const begin = std::chrono::steady_clock::now();
  frame.serial = setting.study.run_serial();
  sim_sweep const swept = sweep(setting.study, {.policies = given.flags.policies(),
                                                .workers = given.flags.workers(setting.machine),
                                                .first_seed = given.flags.seed(given.app),
                                                .seeds = given.flags.seeds(),
                                                .with_one_worker = given.alone});
  std::chrono::duration<double> const took = std::chrono::steady_clock::now() - begin;
  finish_in_spite_of_interrupts();
  if (swept.rows.empty()) return exit_code_after("sim", swept.runs, swept.planned_runs, "run");

  std::vector<sim_row> const& rows = swept.rows;
  report const all = report_of(frame, rows, given.breakdown);
  json document = to_json("sim", frame);
  document["rows"] = all.rows();
  target.write(document);
  if (!target.takes_stdout()) {
    std::string text = heading(frame) + interrupt_line(swept, given.flags.seeds()) + "\n" + times_text(all) + "\n" +
                       traffic_text(rows);
    if (given.breakdown) text += "\n" + breakdown_text(rows);
    write_to_stdout(text);
  }
  if (given.progress) {
    std::uint64_t const events = frame.serial.events + swept.events;
    write_to_stderr(fmt::format("sim: {} events in {:.2f} s, {:.1f} million a second", events, took.count(),
                                static_cast<double>(events) / took.count() / 1e6));
  }
  return exit_code_after("sim", swept.runs, swept.planned_runs, "run");
}

}  // namespace

subcommand add_sim(parser root) {
  parser const command = root.add_subcommand("sim", "simulate an app on a machine that you do not have");
  auto const given = std::make_shared<arguments>(command);
  constexpr auto of_workers_only = "only simulated workers take it";
  parser const of_workers = command.never_with("--ranks", of_workers_only);
  of_workers.add_flag("--verify,!--no-verify", given->verify, "verify the app's answers (the default), or not");
  of_workers.add_flag("--alone,!--no-alone", given->alone,
                      "also run each policy on one worker, which the speed-up compares with (the default), or not");
  of_workers.add_flag("--breakdown", given->breakdown, "also show where the workers' time goes");
  command.add_flag("--progress", given->progress, "report the speed of the simulator on standard error");
  add_json(command, given->json_path);
  given->flags.add_to(command.never_with("--ranks", of_workers_only, {"--machine", "--seed"}));
  given->ranks.add_to(command);
  given->trace.add_to(of_workers);
  return {command, [given] { return execute(*given); }};
}

}  // namespace skua::cli
