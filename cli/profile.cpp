// SPDX-License-Identifier: MIT
// skua profile: how far a program can scale, how far it would scale on another machine, and which change would help.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "apps/picture/picture.hpp"
#include "cli/simulate/advice.hpp"
#include "cli/simulate/flags.hpp"
#include "cli/simulate/program.hpp"
#include "cli/simulate/results.hpp"
#include "cli/simulate/setting.hpp"
#include "cli/simulate/speedup_picture.hpp"
#include "cli/simulate/study.hpp"
#include "cli/simulate/sweep.hpp"
#include "cli/subcommand.hpp"
#include "cli/text/app_arguments.hpp"
#include "cli/text/interrupt.hpp"
#include "cli/text/json_row.hpp"
#include "cli/text/output.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::cli {
namespace {

struct arguments {
  explicit arguments(parser command) : app(command) {}

  app_arguments app;
  sim_flags flags;
  bool verify = true;
  std::string picture;
  std::string json_path;
};

struct program_profile {
  scalability of_program;
  sim_sweep swept;
  std::optional<sim_row> best;  ///< with most workers; unset after an interrupt, if none is there
  std::vector<advice> advised;  ///< none without it
};

program_profile profile_of(sim_study& study, arguments const& given, sim_frame const& frame) {
  program_profile all;
  std::uint32_t const most = given.flags.workers(study.machine()).back();
  // taken_s and the tree are those of the last run, which was the serial one.
  all.of_program = scalability_of(study.program().tree(), study.taken_s(), burden_on(study.machine(), most), most);
  keep_after_interrupts();
  all.swept = sweep(study, {.policies = given.flags.policies(),
                            .workers = given.flags.workers(study.machine()),
                            .first_seed = given.flags.seed(given.app),
                            .seeds = given.flags.seeds()});
  for (sim_row& r : all.swept.rows) {
    r.alone_s = frame.serial.time_s;
    if (r.workers == most && (!all.best || r.median.time_s < all.best->median.time_s)) all.best = r;
  }
  if (!all.best) return all;
  all.advised = advice_on(all.of_program, *all.best,
                          {.nodes = study.machine().nodes(),
                           .interleaved = frame.costs.pages.mode == sim::page_placement::kind::interleave});
  return all;
}

json to_json(program_profile const& f, sim_frame const& frame) {
  json all = to_json("profile", frame);
  scalability const& p = f.of_program;
  all["work_s"] = p.work_s;
  all["span_s"] = p.span_s;
  all["parallelism"] = p.parallelism();
  all["burden_s"] = p.burden_s;
  all["burdened_span_s"] = p.burdened_span_s;
  all["burdened_parallelism"] = p.burdened_parallelism();
  all["mean_grain_s"] = p.mean_grain_s;
  all["forks"] = p.forks;
  all["work_hints"] = p.work_hints;
  all["place_hints"] = p.place_hints;
  all["best"] = f.best ? json{{"runner", f.best->policy}, {"workers", f.best->workers}} : json();
  all["advice"] = json::array();
  for (advice const& a : f.advised)
    all["advice"].push_back({{"what", a.what}, {"figure", a.figure}, {"change", a.change}});
  report curve;
  for (sim_row const& r : f.swept.rows) {
    std::vector<named_cell> cells = sim_cells(r, frame.serial.time_s);
    cells.push_back({"shares", "", cell::of(to_json(shares_of(r.median)))});
    curve.add_named(row_of(sim_keys(r, frame.verified), std::move(cells)));
  }
  all["rows"] = curve.rows();
  return all;
}

std::string curve_text(std::vector<sim_row> const& curve) {
  std::vector<std::string> policies;
  std::map<std::uint32_t, std::vector<std::string>> by_workers;
  for (sim_row const& r : curve) {
    if (std::ranges::find(policies, r.policy) == policies.end()) policies.push_back(r.policy);
    by_workers[r.workers].push_back(fmt::format("{:.2f}", r.alone_s / r.median.time_s));
  }
  for (auto& [workers, cells] : by_workers) cells.resize(policies.size(), "-");  // an interrupt left the rest out
  std::vector<table::column> columns{{"workers", true}};
  for (std::string const& p : policies) columns.push_back({p, true});
  table t(std::move(columns));
  for (auto& [workers, cells] : by_workers) {
    cells.insert(cells.begin(), std::to_string(workers));
    t.add(std::move(cells));
  }
  return "Simulated speed-up over the serial elision\n" + t.text("  ");
}

/// Of the fastest row with most workers.
std::string limits_text(program_profile const& f) {
  time_shares const s = shares_of(f.best->median);
  table where({{}, {"", true}});
  for (auto const& [name, part] :
       {std::pair{"arithmetic", s.arithmetic}, std::pair{"memory", s.memory}, std::pair{"queues to memory", s.queues},
        std::pair{"noise", s.noise}, std::pair{"scheduling", s.scheduling}, std::pair{"idle", s.idle}})
    where.add({name, in_percent(part)});
  std::string text = fmt::format("Where the time of {} goes under {}, the fastest: leaves are {}-bound\n{}\n",
                                 in_words(f.best->workers, "worker"), f.best->policy,
                                 s.memory + s.queues > s.arithmetic ? "memory" : "compute", where.text("  "));
  text += f.advised.empty() ? "These figures call for no change.\n" : "What would help\n";
  for (advice const& a : f.advised) text += fmt::format("  {}: {}.\n    {}.\n", a.what, a.figure, a.change);
  return text;
}

std::string text_of(program_profile const& f, sim_frame const& frame) {
  scalability const& p = f.of_program;
  table t({{}, {}, {}});
  t.add({"work", in_seconds(p.work_s),
         fmt::format("all leaves and tasks on one worker; {} each", in_seconds(p.mean_grain_s))});
  t.add({"span", in_seconds(p.span_s), "the longest path"});
  t.add(
      {"parallelism", fmt::format("{:.1f}", p.parallelism()), "work / span: the bound on the speed-up of any machine"});
  t.add({"burdened span", in_seconds(p.burdened_span_s),
         fmt::format("the longest path if every fork on it were stolen, at {} each", in_seconds(p.burden_s))});
  t.add({"burdened parallelism", fmt::format("{:.1f}", p.burdened_parallelism()),
         "the speed-up that a stealing scheduler can rely on"});
  t.add({"hints", fmt::format("{} / {}", p.work_hints, p.place_hints), "tasks with a work hint / with a place hint"});
  std::string text = fmt::format("{}{}\nScalability, simulated\n{}\n", heading(frame),
                                 interrupt_line(f.swept, frame.seeds), t.text("  "));
  if (!f.swept.rows.empty()) text += curve_text(f.swept.rows) + "\n";
  return text + (f.best ? limits_text(f) : "No policy has run with most workers: what limits it is not known.\n");
}

int execute(arguments const& given) {
  if (!given.picture.empty()) {
    refuse_same_file("--picture", given.picture, "--json", given.json_path);
    apps::require_file_name("--picture", given.picture, {".svg"});
    require_writable(given.picture);
  }
  json_target const target(given.json_path);
  if (apps::app& app = given.app.chosen(); !simulation_of(app).can_be_recorded()) {
    throw usage_error(
        fmt::format("app is '{}', whose tasks are a graph; allowed: apps whose tasks are a tree", app.name()));
  }
  sim_setting setting(given.app, given.flags, given.verify);
  sim_frame& frame = setting.frame;
  sim_study& study = setting.study;
  frame.serial = study.run_serial();
  program_profile const found = profile_of(study, given, frame);
  finish_in_spite_of_interrupts();
  if (!given.picture.empty()) write_to_file(given.picture, speedup_picture(frame, found.of_program, found.swept));
  target.write(to_json(found, frame));
  if (!target.takes_stdout()) {
    std::string const drawn = given.picture.empty() ? "" : fmt::format("Picture of the speed-ups: {}\n", given.picture);
    write_to_stdout(text_of(found, frame) + drawn);
  }
  return exit_code_after("profile", found.swept.runs, found.swept.planned_runs, "run");
}

}  // namespace

subcommand add_profile(parser root) {
  parser const command =
      root.add_subcommand("profile", "analyse how far an app can scale, and suggest improvements (simulated)");
  auto const given = std::make_shared<arguments>(command);
  command.add_flag("--verify,!--no-verify", given->verify, "verify the app's answers (the default), or not");
  command.add_option("--picture", given->picture, "FILE", "draw the speed-ups, the ideal and the bounds (.svg)");
  add_json(command, given->json_path);
  given->flags.add_to(command);
  return {command, [given] { return execute(*given); }};
}

}  // namespace skua::cli
