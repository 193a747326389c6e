// SPDX-License-Identifier: MIT
// skua profile: how far a program can scale, how far it would on a machine that we do not have, and what would help.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <map>
#include <memory>

#include "cli/app_words.hpp"
#include "cli/help.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/profile_advice.hpp"
#include "cli/progress.hpp"
#include "cli/sim_flags.hpp"
#include "cli/sim_report.hpp"
#include "cli/sim_setting.hpp"
#include "cli/sim_study.hpp"
#include "cli/table.hpp"
#include "cli/verb.hpp"

namespace skua::cli {
namespace {

struct request {
  explicit request(CLI::App& words) : app(words) {}

  app_words app;
  sim_flags flags;
  bool verify = true;
  std::string where;
};

struct findings {
  scalability of_program;
  std::vector<sim_row> curve;  ///< by policy, then by workers
  sim_row const* best = nullptr;
  std::vector<advice> helps;
};

std::vector<sim_row> curve_of(sim_study& study, request const& asked, double serial_s) {
  std::vector<std::uint32_t> const counts = asked.flags.workers(study.machine());
  std::vector<std::string> const policies = asked.flags.policies();
  progress bar;
  double done = 0;
  double const runs = static_cast<double>(policies.size() * counts.size() * asked.flags.seeds());
  std::vector<sim_row> rows;
  for (std::string const& policy : policies) {
    for (std::uint32_t const workers : counts) {
      rows.push_back(study.run_seeds(policy, workers, asked.flags.seed(asked.app), asked.flags.seeds(), [&] {
        bar.show(done++ / runs, fmt::format("simulated: {} with {} workers", policy, workers));
      }));
      rows.back().alone_s = serial_s;
    }
  }
  return rows;
}

findings look(sim_study& study, request const& asked, sim_outcome const& serial) {
  findings all;
  std::uint32_t const most = asked.flags.workers(study.machine()).back();
  // taken_s and the tree are those of the run that has just ended: the serial one.
  all.of_program = scalability_of(study.program().tree(), study.taken_s(), burden_on(study.machine(), most), most);
  all.curve = curve_of(study, asked, serial.time_s);
  for (sim_row const& r : all.curve) {
    if (r.workers == most && (all.best == nullptr || r.median.time_s < all.best->median.time_s)) all.best = &r;
  }
  all.helps = advice_on(all.of_program, *all.best, study.machine().nodes());
  return all;
}

json to_json(findings const& f, sim_frame const& frame) {
  json all = to_json(frame);
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
  all["curve"] = json::array();
  for (sim_row const& r : f.curve) {
    all["curve"].push_back({{"policy", r.policy},
                            {"workers", r.workers},
                            {"time_s", r.median.time_s},
                            {"speedup", r.alone_s / r.median.time_s},
                            {"shares", to_json(shares_of(r.median))}});
  }
  all["best"] = {{"policy", f.best->policy}, {"workers", f.best->workers}};
  all["advice"] = json::array();
  for (advice const& a : f.helps)
    all["advice"].push_back({{"what", a.what}, {"figure", a.figure}, {"change", a.change}});
  return all;
}

std::string curve_table(std::vector<sim_row> const& curve) {
  std::vector<std::string> policies;
  std::map<std::uint32_t, std::vector<std::string>> by_workers;
  for (sim_row const& r : curve) {
    if (std::ranges::find(policies, r.policy) == policies.end()) policies.push_back(r.policy);
    by_workers[r.workers].push_back(fmt::format("{:.2f}", r.alone_s / r.median.time_s));
  }
  std::vector<table::column> columns{{"workers", true}};
  for (std::string const& p : policies) columns.push_back({p, true});
  table t(std::move(columns));
  for (auto& [workers, cells] : by_workers) {
    cells.insert(cells.begin(), std::to_string(workers));
    t.add(std::move(cells));
  }
  return "Simulated speed-up over the serial elision\n" + t.text("  ");
}

std::string for_people(findings const& f, sim_frame const& frame) {
  scalability const& p = f.of_program;
  table t({{}, {}, {}});
  t.add({"work", in_seconds(p.work_s),
         fmt::format("all leaves and tasks on one worker; {} each", in_seconds(p.mean_grain_s))});
  t.add({"span", in_seconds(p.span_s), "the longest path"});
  t.add({"parallelism", fmt::format("{:.1f}", p.parallelism()), "work / span: no machine makes it faster than that"});
  t.add({"burdened span", in_seconds(p.burdened_span_s),
         fmt::format("if every fork on a path were stolen, at {}", in_seconds(p.burden_s))});
  t.add({"burdened parallelism", fmt::format("{:.1f}", p.burdened_parallelism()), "what to expect for certain"});
  t.add({"hints", fmt::format("{} / {}", p.work_hints, p.place_hints), "tasks with a work hint / with a place hint"});
  time_shares const s = shares_of(f.best->median);
  table where({{}, {"", true}});
  for (auto const& [name, part] :
       {std::pair{"arithmetic", s.arithmetic}, std::pair{"memory", s.memory}, std::pair{"queues to memory", s.queues},
        std::pair{"noise", s.noise}, std::pair{"scheduling", s.scheduling}, std::pair{"idle", s.idle}})
    where.add({name, fmt::format("{:.1f}%", 100 * part)});
  std::string text = fmt::format(
      "{}\nScalability, simulated\n{}\n{}\nWhere the time of {} workers goes under {}, the fastest: leaves are "
      "{}-bound\n{}\n",
      heading(frame), t.text("  "), curve_table(f.curve), f.best->workers, f.best->policy,
      s.memory + s.queues > s.arithmetic ? "memory" : "compute", where.text("  "));
  text += f.helps.empty() ? "The figures call for no change.\n" : "What would help\n";
  for (advice const& a : f.helps) text += fmt::format("  {}: {}.\n    {}.\n", a.what, a.figure, a.change);
  return text;
}

int carry_out(request const& asked) {
  json_target const target(asked.where);
  sim_setting setting(asked.app, asked.flags, asked.verify);
  sim_frame& frame = setting.frame;
  sim_study& study = setting.study;
  frame.serial = study.run_serial();
  findings const found = look(study, asked, frame.serial);
  stop_if_interrupted();
  target.write(to_json(found, frame));
  if (!target.takes_stdout()) write_to_stdout(for_people(found, frame));
  return exit_done;
}

}  // namespace

verb add_profile(CLI::App& root) {
  CLI::App* const words = root.add_subcommand("profile", "how far an app can scale, and what would help (simulated)");
  explain_plainly(*words, "APP");
  auto const asked = std::make_shared<request>(*words);
  words->add_flag("--verify,!--no-verify", asked->verify, "check the app's answers (the default), or do not");
  add_json(*words, asked->where);
  asked->flags.add_to(*words);
  return {words, [asked] { return carry_out(*asked); }};
}

}  // namespace skua::cli
