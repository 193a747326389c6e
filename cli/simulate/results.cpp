// SPDX-License-Identifier: MIT
#include "cli/simulate/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

namespace skua::cli {
namespace {

std::string_view name_of(sim_way w) { return w == sim_way::live ? "live" : "recorded"; }

json bytes_of(sim::memory_account const& m) {
  json all = json::object();
  for (memory_source const& s : memory_sources) all[fmt::format("{}_bytes", s.key)] = m.*s.bytes;
  all["written_back_bytes"] = m.written_back_bytes;
  return all;
}

json steals_of(sim_outcome const& o) {
  return by_distance(o.steals_by_distance, [&](std::size_t d) { return o.distance_names[d]; });
}

json counts_of(sim::worker_counters const& w) {
  return {{"steals", w.steals},           {"sleeps", w.naps},
          {"revocations", w.revocations}, {"heavy_fences", w.heavy_fences},
          {"interrupts", w.interrupts},   {"spawns", w.spawns},
          {"conversions", w.conversions}, {"dead", w.dead}};
}

json workers_of(sim_outcome const& o) {
  json all = json::array();
  for (sim::worker_counters const& w : o.workers) {
    double const work_s = seconds_of(w.work);
    double const scheduling_s = seconds_of(w.scheduling);
    all.push_back({{"worker", all.size()},
                   {"work_s", work_s},
                   {"scheduling_s", scheduling_s},
                   {"idle_s", std::max(0.0, seconds_of(o.makespan) - work_s - scheduling_s)}});
    all.back().update(counts_of(w));
  }
  return all;
}

/// By width: moldable tasks that ran with it.
json widths_of(sim_outcome const& o) {
  json all = json::object();
  for (std::size_t w = 0; w < o.widths.size(); ++w) {
    if (o.widths[w] > 0) all[std::to_string(w)] = o.widths[w];
  }
  return all;
}

/// By "[leader, width]", as the paper on ARMS writes partitions.
json partitions_of(sim_outcome const& o) {
  json all = json::object();
  for (auto const& [partition, tasks] : o.partitions)
    all[fmt::format("[{}, {}]", partition.first, partition.second)] = tasks;
  return all;
}

/// The seconds for machines, the share of all workers' time for people.
cell time_of(double part_s, sim_row const& r) {
  return {part_s, in_percent(quotient(part_s, r.median.time_s * r.workers))};
}

/// None if the policy did not run on one worker.
cell speedup_over_one(sim_row const& r) {
  return cell::ratio(r.alone_s > 0 ? std::optional(quotient(r.alone_s, r.median.time_s)) : std::nullopt);
}

}  // namespace

json to_json(sim::machine_model const& of) {
  return {{"model", of.name()},
          {"model_about", of.about()},
          {"model_figures", of.figures().size()},
          {"model_assumed", std::ranges::count_if(of.figures(), &sim::figure::assumed)}};
}

json to_json(std::string_view subcommand, sim_frame const& of) {
  json all = document_of(subcommand, of.app, of.options, true);
  all.update(to_json(of.study->machine()));
  all.update({{"placement", of.costs.pages.text()},
              {"noise", {{"per_second", of.costs.noise.per_second}, {"duration_ns", of.costs.noise.duration_ns}}},
              {"deques", name_of(of.deques)},
              {"first_seed", of.costs.seed},
              {"warm_up_runs", of.warm_up},
              {"way", name_of(of.way)},
              {"tasks", of.content.tasks},
              {"leaves", of.content.leaves},
              {"leaves_without_flops", of.content.bare_leaves},
              {"task_ns", of.content.assumed.task},
              {"leaf_ns", of.content.assumed.leaf},
              {"measured_here", of.content.measured},
              {"measured_wall_over_cpu", of.content.measured ? json(of.content.wall_over_cpu) : json()},
              {"measured_gflops", of.content.flops_per_ns},
              {"between_leaves_s", of.content.between_leaves_s},
              {"serial_s", of.serial.time_s},
              {"serial_bytes", bytes_of(of.serial.memory)}});
  return all;
}

json to_json(time_shares const& of) {
  return {{"arithmetic", of.arithmetic}, {"memory", of.memory},         {"queues", of.queues},
          {"noise", of.noise},           {"scheduling", of.scheduling}, {"idle", of.idle}};
}

std::string heading(sim_frame const& of) {
  sim::machine_model const& m = of.study->machine();
  auto const assumed = std::ranges::count_if(m.figures(), &sim::figure::assumed);
  std::string text = fmt::format("{}, simulated on the machine model {}\n  {}\n  {} of its {} figures are assumed\n",
                                 of.app, m.name(), m.about(), assumed, m.figures().size());
  text += fmt::format("pages: {}; {}, {}, {}; seed {}", of.costs.pages.text(), in_words(of.content.tasks, "task"),
                      of.content.leaves == 1 ? "1 leaf" : fmt::format("{} leaves", of.content.leaves), name_of(of.way),
                      of.costs.seed);
  if (of.deques != sim::deque_kind::biased) text += fmt::format("; {}", name_of(of.deques));
  if (of.warm_up > 0) text += fmt::format("; after {}", in_words(of.warm_up, "warm-up run"));
  if (of.seeds > 1) text += fmt::format(" to {}, medians", of.costs.seed + of.seeds - 1);
  if (of.content.leaves == 0) text += fmt::format("\na task takes {} ns", of.content.assumed.task);
  if (of.content.bare_leaves > 0) {
    text += fmt::format("\n{} leaves declare no flops and take {} ns{}", of.content.bare_leaves,
                        of.content.assumed.leaf, of.content.measured ? " on average" : "");
  }
  double const rate = of.content.flops_per_ns;
  if (rate > 0)
    text += fmt::format("\nleaves take what leaves of as many flops took here, {:.3g} flops/ns in all", rate);
  if (of.content.between_leaves_s > 0)
    text += fmt::format("\ncode between leaves takes {}", in_seconds(of.content.between_leaves_s));
  if (of.content.measured)
    text += fmt::format(" (measured here: another run differs{})", rate > 0 ? "" : "; --task-ns fixes it");
  if (of.content.measured && of.content.wall_over_cpu > busy_from) {
    text += fmt::format(
        "\nWARNING: the machine was busy. The fastest measured run took {:.1f} times its processor time,\n"
        "so leaves may seem longer than they are; measure again on an idle machine",
        of.content.wall_over_cpu);
  }
  return text + fmt::format("\nserial elision: {} simulated\n", in_seconds(of.serial.time_s));
}

common_keys sim_keys(sim_row const& r, bool verify) {
  return {.runner = r.policy,
          .workers = r.workers,
          .median_s = r.median.time_s,
          .verified = verify ? std::optional(true) : std::nullopt,
          .simulated = true};
}

std::vector<named_cell> sim_cells(sim_row const& r, double serial_s) {
  sim_outcome const& o = r.median;
  std::vector<named_cell> all{{"min_s", "", cell::seconds(r.min_s)},
                              {"max_s", "", cell::seconds(r.max_s)},
                              {"runs", "", cell::of(r.runs)},
                              {"seed", "", cell::of(o.seed)},
                              {"speedup_over_serial", "over serial", cell::ratio(quotient(serial_s, o.time_s))},
                              {"work_s", "work", time_of(o.work_s, r)},
                              {"scheduling_s", "scheduling", time_of(o.scheduling_s, r)},
                              {"idle_s", "idle", time_of(o.idle_s, r)},
                              {"events", "", cell::of(o.events)}};
  json counted = counts_of(o.sum);
  counted["widths"] = widths_of(o);
  counted["partitions"] = partitions_of(o);
  counted.update(bytes_of(o.memory));
  for (auto const& [key, value] : counted.items()) all.push_back({key, "", cell::of(value)});
  return all;
}

report report_of(sim_frame const& of, std::span<sim_row const> rows, bool breakdown) {
  report all;
  for (sim_row const& r : rows) {
    sim_outcome const& o = r.median;
    std::vector<named_cell> cells{{"speedup_over_one", "speed-up", speedup_over_one(r)}};
    std::ranges::move(sim_cells(r, of.serial.time_s), std::back_inserter(cells));
    cells.push_back({"inflation_over_serial", "inflation", cell::ratio(quotient(o.work_s, of.serial.work_s))});
    cells.push_back({"steals_by_distance", "", cell::of(steals_of(o))});
    cells.push_back({"policy_report", "", cell::of(o.report)});
    cells.push_back({"shares", "", breakdown ? cell::of(to_json(shares_of(o))) : cell::missing()});
    cells.push_back({"per_worker", "", breakdown ? cell::of(workers_of(o)) : cell::missing()});
    all.add_named(row_of(sim_keys(r, of.verified), std::move(cells)));
  }
  return all;
}

std::string times_text(report const& rows) {
  return rows.text() + "speed-up: over one simulated worker of the same policy; inflation: work / serial work\n";
}

std::string traffic_text(std::span<sim_row const> rows) {
  std::vector<std::vector<std::uint64_t>> all_steals;
  for (sim_row const& r : rows) all_steals.push_back(r.median.steals_by_distance);
  steal_columns const steals(all_steals);
  report all({{"", "policy", false}, {"", "workers"}});
  steals.add_heads(all);
  all.add_column({"", "revoked"});
  all.add_column({"", "fences"});
  for (memory_source const& s : memory_sources) all.add_column({"", std::string{s.head}});
  for (sim_row const& r : rows) {
    std::vector<cell> cells{cell::of(r.policy), cell::of(r.workers)};
    steals.add_cells(r.median.steals_by_distance, cells);
    cells.push_back(cell::of(r.median.sum.revocations));
    cells.push_back(cell::of(r.median.sum.heavy_fences));
    for (memory_source const& s : memory_sources) cells.push_back(cell::bytes(r.median.memory.*s.bytes));
    all.add(std::move(cells));
  }
  auto const& names = std::ranges::max_element(rows, {}, [](sim_row const& r) {
                        return r.median.distance_names.size();
                      })->median.distance_names;
  return all.text() + steals.legend([&](std::size_t d) { return names[d]; }) +
         "revoked: deques whose bias a thief took; fences: heavy fences of thieves, each of which interrupts every\n"
         "worker that runs\n"
         "bytes read from: the core's first-level cache, the rest of its private cache, the shared cache of its place, "
         "a\n"
         "neighbour's private cache, the memory of its own node, the memory of another node, a cache of another "
         "place\n";
}

std::string breakdown_text(std::span<sim_row const> rows) {
  report all({{"", "policy", false},
              {"", "workers"},
              {"", "arithmetic"},
              {"", "memory"},
              {"", "queues"},
              {"", "noise"},
              {"", "scheduling"},
              {"", "idle"},
              {"", "least busy"},
              {"", "most busy"}});
  for (sim_row const& r : rows) {
    sim_outcome const& o = r.median;
    time_shares const s = shares_of(o);
    auto const [least, most] = std::ranges::minmax_element(o.workers, {}, &sim::worker_counters::work);
    std::vector<cell> cells{cell::of(r.policy), cell::of(r.workers)};
    for (double const part : {s.arithmetic, s.memory, s.queues, s.noise, s.scheduling, s.idle,
                              quotient(seconds_of(least->work), o.time_s), quotient(seconds_of(most->work), o.time_s)})
      cells.push_back(cell::share(part));
    all.add(std::move(cells));
  }
  return all.text() +
         "arithmetic: time of the leaves with all data in the nearest cache; memory: waiting for data; queues: the "
         "part\n"
         "of memory spent behind other workers; least and most busy: the part of the time that this worker works\n";
}

}  // namespace skua::cli
