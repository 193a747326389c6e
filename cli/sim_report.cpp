// SPDX-License-Identifier: MIT
#include "cli/sim_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/table.hpp"

namespace skua::cli {
namespace {

constexpr double seconds_per_tick = 1e-12;

double ratio(double above, double below) { return below > 0 ? above / below : 0; }
double in_s(sim::tick t) { return static_cast<double>(t) * seconds_per_tick; }
std::string percent(double of_one) { return fmt::format("{:.1f}%", 100 * of_one); }
std::string_view word(sim_way w) { return w == sim_way::live ? "live" : "recorded"; }

json bytes_of(sim::memory_account const& m) {
  return {{"private_cache", m.private_bytes},     {"shared_cache", m.shared_bytes},
          {"neighbour_cache", m.neighbour_bytes}, {"local_memory", m.local_bytes},
          {"remote_memory", m.remote_bytes},      {"remote_cache", m.transfer_bytes},
          {"written_back", m.written_back_bytes}};
}

json steals_of(sim_outcome const& o) {
  json all = json::object();
  for (std::size_t d = 0; d < o.steals_by_distance.size(); ++d) {
    if (o.steals_by_distance[d] > 0) all[o.distance_names[d]] = o.steals_by_distance[d];
  }
  return all;
}

json workers_of(sim_outcome const& o) {
  json all = json::array();
  for (sim::worker_counters const& w : o.workers) {
    double const idle = std::max(0.0, in_s(o.makespan) - in_s(w.work) - in_s(w.scheduling));
    all.push_back({{"work_s", in_s(w.work)},
                   {"scheduling_s", in_s(w.scheduling)},
                   {"idle_s", idle},
                   {"steals", w.steals},
                   {"naps", w.naps}});
  }
  return all;
}

}  // namespace

double share(double part_s, sim_outcome const& of, std::uint32_t workers) { return ratio(part_s, of.time_s * workers); }

sim_frame frame_of(app_words const& app, sim_flags const& flags, sim::machine_model const& machine, bool verify) {
  sim_frame all{.app = app.chosen().name(),
                .options = app.given(),
                .way = flags.way(app.chosen()),
                .costs = flags.costs(app),
                .seeds = flags.seeds(),
                .verified = verify};
  static_cast<void>(flags.workers(machine));
  static_cast<void>(flags.policies());
  static_cast<void>(flags.times());
  static_cast<void>(sim::model_costs(machine, machine.numbers(), machine.layout_of({.workers = 1}), all.costs));
  return all;
}

json to_json(sim_frame const& of) {
  sim::machine_model const& m = of.study->machine();
  auto const assumed = std::ranges::count_if(m.figures(), &sim::figure::assumed);
  return {
      {"simulated", true},
      {"app", of.app},
      {"options", of.options},
      {"machine", {{"model", m.name()}, {"about", m.about()}, {"figures", m.figures().size()}, {"assumed", assumed}}},
      {"placement", of.costs.pages.text()},
      {"noise", {{"per_second", of.costs.noise.per_second}, {"duration_ns", of.costs.noise.duration_ns}}},
      {"seed", of.costs.seed},
      {"seeds", of.seeds},
      {"way", word(of.way)},
      {"verified", of.verified},
      {"tasks", of.content.tasks},
      {"leaves", of.content.leaves},
      {"leaves_without_flops", of.content.bare_leaves},
      {"task_ns", of.content.assumed.task},
      {"leaf_ns", of.content.assumed.leaf},
      {"measured_here", of.content.measured},
      {"measured_flops_per_ns", of.content.flops_per_ns},
      {"serial", {{"time_s", of.serial.time_s}, {"bytes", bytes_of(of.serial.memory)}}}};
}

json to_json(time_shares const& of) {
  return {{"arithmetic", of.arithmetic}, {"memory", of.memory},         {"queues", of.queues},
          {"noise", of.noise},           {"scheduling", of.scheduling}, {"idle", of.idle}};
}

json to_json(sim_frame const& of, sim_row const& r, bool breakdown) {
  sim_outcome const& o = r.median;
  json all{{"policy", r.policy},
           {"workers", r.workers},
           {"seed", o.seed},
           {"time_s", o.time_s},
           {"min_s", r.min_s},
           {"max_s", r.max_s},
           {"speedup_over_one", ratio(r.alone_s, o.time_s)},
           {"speedup_over_serial", ratio(of.serial.time_s, o.time_s)},
           {"work_s", o.work_s},
           {"scheduling_s", o.scheduling_s},
           {"idle_s", o.idle_s},
           {"work_inflation", ratio(o.work_s, of.serial.work_s)},
           {"events", o.events},
           {"steals", o.steals},
           {"naps", o.naps},
           {"steals_by_distance", steals_of(o)},
           {"bytes", bytes_of(o.memory)}};
  if (breakdown) {
    all["shares"] = to_json(shares_of(o));
    all["per_worker"] = workers_of(o);
  }
  return all;
}

std::string heading(sim_frame const& of) {
  sim::machine_model const& m = of.study->machine();
  auto const assumed = std::ranges::count_if(m.figures(), &sim::figure::assumed);
  std::string text = fmt::format("{}, simulated on the machine model {}\n  {}\n  {} of its {} figures are assumed\n",
                                 of.app, m.name(), m.about(), assumed, m.figures().size());
  text += fmt::format("pages: {}; {} tasks, {} leaves, {}; seed {}", of.costs.pages.text(), of.content.tasks,
                      of.content.leaves, word(of.way), of.costs.seed);
  if (of.seeds > 1) text += fmt::format(" to {}, medians", of.costs.seed + of.seeds - 1);
  if (of.content.leaves == 0) text += fmt::format("\na task takes {} ns", of.content.assumed.task);
  if (of.content.bare_leaves > 0) {
    text += fmt::format("\n{} leaves say nothing of their arithmetic and take {} ns{}", of.content.bare_leaves,
                        of.content.assumed.leaf, of.content.measured ? " on average" : "");
  }
  double const rate = of.content.flops_per_ns;
  if (rate > 0)
    text += fmt::format("\nleaves take what leaves of as many flops took here, {:.3g} flops/ns in all", rate);
  if (of.content.measured)
    text += fmt::format(" (measured here: another run differs{})", rate > 0 ? "" : "; --task-ns fixes it");
  return text + fmt::format("\nserial elision: {} simulated\n", in_seconds(of.serial.time_s));
}

std::string times_table(sim_frame const& of, std::span<sim_row const> rows) {
  table t({{"policy"},
           {"workers", true},
           {"time", true},
           {"speed-up", true},
           {"over serial", true},
           {"work", true},
           {"scheduling", true},
           {"idle", true},
           {"inflation", true}});
  for (sim_row const& r : rows) {
    sim_outcome const& o = r.median;
    t.add({r.policy, std::to_string(r.workers), in_seconds(o.time_s), fmt::format("{:.2f}", ratio(r.alone_s, o.time_s)),
           fmt::format("{:.2f}", ratio(of.serial.time_s, o.time_s)), percent(share(o.work_s, o, r.workers)),
           percent(share(o.scheduling_s, o, r.workers)), percent(share(o.idle_s, o, r.workers)),
           fmt::format("{:.2f}", ratio(o.work_s, of.serial.work_s))});
  }
  return t.text() +
         "speed-up: over one simulated worker of the same policy. inflation: work over the serial elision's.\n";
}

std::string traffic_table(std::span<sim_row const> rows) {
  sim_outcome const* const widest =
      &std::ranges::max_element(rows, {}, [](sim_row const& r) { return r.median.steals_by_distance.size(); })->median;
  std::vector<std::size_t> distances;
  std::string legend;
  std::vector<table::column> columns{{"policy"}, {"workers", true}};
  for (std::size_t d = 0; d < widest->steals_by_distance.size(); ++d) {
    if (std::ranges::none_of(rows, [d](sim_row const& r) {
          return d < r.median.steals_by_distance.size() && r.median.steals_by_distance[d] > 0;
        }))
      continue;
    distances.push_back(d);
    columns.push_back({fmt::format("steals@{}", d), true});
    legend += fmt::format("steals@{}: {}\n", d, widest->distance_names[d]);
  }
  for (char const* source : {"private", "shared", "neighbour", "local", "remote", "transfer"})
    columns.push_back({source, true});
  table t(std::move(columns));
  for (sim_row const& r : rows) {
    std::vector<std::string> cells{r.policy, std::to_string(r.workers)};
    for (std::size_t const d : distances)
      cells.push_back(d < r.median.steals_by_distance.size() ? std::to_string(r.median.steals_by_distance[d]) : "0");
    sim::memory_account const& m = r.median.memory;
    for (auto const bytes :
         {m.private_bytes, m.shared_bytes, m.neighbour_bytes, m.local_bytes, m.remote_bytes, m.transfer_bytes})
      cells.push_back(in_bytes(bytes));
    t.add(std::move(cells));
  }
  return t.text() + legend +
         "bytes came from: the private cache, the place's shared cache, a neighbour's cache, the own node's memory,\n"
         "another node's memory, a cache of another place.\n";
}

std::string breakdown_table(std::span<sim_row const> rows) {
  table t({{"policy"},
           {"workers", true},
           {"arithmetic", true},
           {"memory", true},
           {"queues", true},
           {"noise", true},
           {"scheduling", true},
           {"idle", true},
           {"least busy", true},
           {"most busy", true}});
  for (sim_row const& r : rows) {
    sim_outcome const& o = r.median;
    time_shares const all = shares_of(o);
    auto const [least, most] = std::ranges::minmax_element(o.workers, {}, &sim::worker_counters::work);
    std::vector<std::string> cells{r.policy, std::to_string(r.workers)};
    for (double const part : {all.arithmetic, all.memory, all.queues, all.noise, all.scheduling, all.idle})
      cells.push_back(percent(part));
    cells.push_back(percent(ratio(in_s(least->work), o.time_s)));
    cells.push_back(percent(ratio(in_s(most->work), o.time_s)));
    t.add(std::move(cells));
  }
  return t.text() +
         "arithmetic: what the leaves would take with all data at hand; memory: how much longer data makes them take;\n"
         "queues: of that, behind others. busy: the share of the time that a worker worked.\n";
}

}  // namespace skua::cli
