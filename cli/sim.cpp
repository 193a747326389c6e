// SPDX-License-Identifier: MIT
// skua sim: one app under several policies on a machine that we do not have, in virtual time.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <chrono>
#include <cstdio>
#include <memory>

#include "cli/app_words.hpp"
#include "cli/help.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/sim_flags.hpp"
#include "cli/sim_report.hpp"
#include "cli/sim_setting.hpp"
#include "cli/sim_study.hpp"
#include "cli/verb.hpp"

namespace skua::cli {
namespace {

struct request {
  explicit request(CLI::App& words) : app(words) {}

  app_words app;
  sim_flags flags;
  bool verify = true;
  bool breakdown = false;
  bool progress = false;
  std::string where;
};

/// Rows in the order asked for: by policy, then by workers. Each policy also runs alone, to be compared with.
std::vector<sim_row> rows_of(sim_study& study, request const& asked, std::uint64_t& events) {
  std::vector<std::uint32_t> const counts = asked.flags.workers(study.machine());
  std::vector<std::string> const policies = asked.flags.policies();
  std::uint32_t const seeds = asked.flags.seeds();
  progress bar;
  double done = 0;
  double const runs = static_cast<double>(policies.size() * (counts.size() + 1) * seeds);
  std::vector<sim_row> rows;
  for (std::string const& policy : policies) {
    auto const run = [&](std::uint32_t workers) {
      return study.run_seeds(policy, workers, asked.flags.seed(asked.app), seeds, [&] {
        bar.show(done++ / runs, fmt::format("simulated: {} with {} workers", policy, workers));
      });
    };
    sim_row alone = run(1);
    alone.alone_s = alone.median.time_s;
    events += alone.median.events * seeds;
    for (std::uint32_t const workers : counts) {
      rows.push_back(workers == 1 ? alone : run(workers));
      rows.back().alone_s = alone.median.time_s;
      if (workers != 1) events += rows.back().median.events * seeds;
    }
  }
  return rows;
}

int carry_out(request const& asked) {
  json_target const target(asked.where);
  sim_setting setting(asked.app, asked.flags, asked.verify);
  sim_frame& frame = setting.frame;
  sim_study& study = setting.study;
  auto const begin = std::chrono::steady_clock::now();
  frame.serial = study.run_serial();
  std::uint64_t events = frame.serial.events;
  std::vector<sim_row> const rows = rows_of(study, asked, events);
  std::chrono::duration<double> const took = std::chrono::steady_clock::now() - begin;
  stop_if_interrupted();

  json document = to_json(frame);
  document["rows"] = json::array();
  for (sim_row const& r : rows) document["rows"].push_back(to_json(frame, r, asked.breakdown));
  target.write(document);
  if (!target.takes_stdout()) {
    std::string text = heading(frame) + "\n" + times_table(frame, rows) + "\n" + traffic_table(rows);
    if (asked.breakdown) text += "\n" + breakdown_table(rows);
    write_to_stdout(text);
  }
  if (asked.progress) {
    std::fputs(fmt::format("skua: sim: {} events in {:.2f} s: {:.1f} million a second\n", events, took.count(),
                           static_cast<double>(events) / took.count() / 1e6)
                   .c_str(),
               stderr);
  }
  return exit_done;
}

}  // namespace

verb add_sim(CLI::App& root) {
  CLI::App* const words = root.add_subcommand("sim", "simulate an app on a machine that we do not have");
  explain_plainly(*words, "APP");
  auto const asked = std::make_shared<request>(*words);
  words->add_flag("--verify,!--no-verify", asked->verify, "check the app's answers (the default), or do not");
  words->add_flag("--breakdown", asked->breakdown, "also show where the workers' time goes");
  words->add_flag("--progress", asked->progress, "tell on standard error how fast the simulator was");
  add_json(*words, asked->where);
  asked->flags.add_to(*words);
  return {words, [asked] { return carry_out(*asked); }};
}

}  // namespace skua::cli
