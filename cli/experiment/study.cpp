// SPDX-License-Identifier: MIT
#include "cli/experiment/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "cli/experiment/roof.hpp"
#include "cli/experiment/trees.hpp"
#include "cli/text/app_arguments.hpp"
#include "cli/text/interrupt.hpp"
#include "cli/text/option_values.hpp"
#include "cli/text/report.hpp"
#include "skua/machine/sim/model/model_rules.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::cli {
namespace {

/// A leaf without flops takes a time per byte that it touches.
void price_bare_leaves(task_tree& tree, experiment_panel const& by) {
  for (tree_node_id i = 0; i < tree.size(); ++i) {
    tree_node& n = tree[i];
    if (n.kind != tree_node_kind::leaf || (std::isfinite(n.flops) && n.flops > 0)) continue;
    double bytes = 0;
    bool in_place = true;
    for (std::uint32_t t = 0; t < n.touches; ++t) {
      touch const& what = tree.touches()[n.first_touch + t];
      bytes += static_cast<double>(what.bytes) * static_cast<double>(what.rows);
      in_place = in_place && what.written;
    }
    double const ns_per_byte = in_place ? by.in_place_ns_per_byte : by.leaf_ns_per_byte;
    n.ns = static_cast<std::uint64_t>(std::llround(bytes * ns_per_byte));
  }
}

double flops_of(task_tree const& tree) { return tree.weigh(unit::flops).work; }

double fact_of(sim_outcome const& o, std::string const& key, std::string const& app) {
  auto const found = o.facts.find(key);
  if (found != o.facts.end()) return found->second;
  std::vector<std::string_view> names;
  for (auto const& [name, value] : o.facts) names.push_back(name);
  throw usage_error(fmt::format("fact is '{}', which {} does not report; allowed: {}", key, app, joined(names)));
}

/// What leaves did not find in the private cache of their core.
double missed_bytes(sim::memory_account const& m) {
  return static_cast<double>(m.shared_bytes + m.neighbour_bytes + m.local_bytes + m.remote_bytes + m.transfer_bytes);
}

double width_of_most(std::vector<std::uint64_t> const& counts) {
  return counts.empty() ? 0 : static_cast<double>(std::ranges::max_element(counts) - counts.begin());
}

double share_of(std::vector<std::uint64_t> const& counts, double width) {
  std::uint64_t const all = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  auto const w = static_cast<std::size_t>(width);
  return all == 0 || w >= counts.size() ? 0 : static_cast<double>(counts[w]) / static_cast<double>(all);
}

}  // namespace

double value_of(measured_point const& p, quantity q) {
  sim_outcome const& o = p.row.median;
  switch (q) {
    case quantity::time: return o.time_s;
    case quantity::speed_up: return quotient(p.serial_s, o.time_s);
    case quantity::scalability: return quotient(p.alone_s, o.time_s);
    case quantity::gflops: return quotient(p.flops, o.time_s) * 1e-9;
    case quantity::work: return o.work_s;
    case quantity::scheduling: return o.scheduling_s;
    case quantity::idle: return o.idle_s;
    case quantity::width: return width_of_most(o.widths);
    case quantity::width_share: return share_of(o.widths, width_of_most(o.widths));
    case quantity::alone_share: return share_of(o.widths, 1);
    case quantity::core_gflops: return quotient(p.flops, o.time_s * std::max(1.0, width_of_most(o.widths))) * 1e-9;
    case quantity::misses: return missed_bytes(o.memory);
    case quantity::roof_share: return quotient(std::max(p.alone_s / p.row.workers, p.memory_s), o.time_s);
    case quantity::fact: return p.fact;
    case quantity::inflation: break;
  }
  return quotient(o.work_s, p.alone_work_s);
}

experiment_study::experiment_study(experiment const& what, bool quick, std::function<void(std::string_view)> before_run)
    : what_(what), quick_(quick), before_run_(std::move(before_run)), machine_(sim::machine_model::load(what.machine)) {
}

std::vector<double> experiment_study::xs() const {
  std::vector<double> const& all = what_.x.values;
  if (!quick_ || all.size() < 3) return all;
  if (!what_.x.option.empty()) return {all[0], all[1]};
  return {all.front(), all.back()};
}

std::uint32_t experiment_study::workers_at(double x) const {
  return what_.x.option.empty() ? static_cast<std::uint32_t>(x) : what_.workers;
}

std::vector<sim::figure> experiment_study::figures_of(std::size_t panel) const {
  std::vector<sim::figure> all(machine_.figures().begin(), machine_.figures().end());
  for (sim::figure const& f : what_.panels[panel].figures) {
    auto const at = std::ranges::find(all, f.key, &sim::figure::key);
    if (at == all.end()) {
      all.push_back(f);
    } else {
      *at = f;
    }
  }
  return all;
}

sim::machine_numbers experiment_study::numbers_of(std::size_t of, figure_setting const& setting) const {
  sim::machine_numbers all =
      setting.varied.empty() ? machine_.numbers(setting.all) : machine_.numbers_with(setting.varied, setting.value);
  experiment_panel const& panel = what_.panels[of];
  for (sim::figure const& f : panel.figures) {
    if (f.key == setting.varied) continue;
    for (sim::figure_rule const& rule : sim::figure_rules()) {
      if (rule.one == nullptr || f.key != fmt::format("{}.{}", rule.table, rule.name)) continue;
      double const before = std::exchange(all.*rule.one, f.at(setting.all));
      // A kernel's rate is that of the fastest cores; the others' is as much higher or lower.
      if (rule.one == &sim::machine_numbers::flops_per_ns) {
        for (double& rate : all.kind_flops_per_ns) rate *= all.flops_per_ns / before;
      }
    }
  }
  auto const least = 16.0 * static_cast<double>(all.block_bytes);  // the model needs so many
  all.private_bytes = std::max(least, all.private_bytes * panel.cache_scale);
  all.shared_bytes = std::max(least, all.shared_bytes * panel.cache_scale);
  all.first_level_bytes *= panel.cache_scale;
  for (double& bytes : all.kind_private_bytes) bytes = std::max(least, bytes * panel.cache_scale);
  for (double& bytes : all.kind_first_level_bytes) bytes *= panel.cache_scale;
  return all;
}

sim_program& experiment_study::program_of(point_at const& p, experiment_series const& series) {
  experiment_panel const& panel = what_.panels[p.panel];
  std::pair const now{p.panel, what_.x.option.empty() ? 0 : p.x};
  if (recorded_ != now) recordings_.clear();
  recorded_ = now;
  app_command const command = command_of(what_, panel, series, p.x, quick_);
  recording& r = recordings_[{command.app, command.options}];
  if (r.program == nullptr) {
    before_run_(fmt::format("recording {} {}", command.app, command.options));
    r.app = make_app(command.app, command.options);
    r.app->prepare();
    bool const priced = panel.leaf_ns_per_byte > 0;
    std::optional<std::uint64_t> given = panel.task_ns;
    if (!given && priced) given = 0;
    sim_way const way = simulation_of(*r.app).depends_on_schedule() ? sim_way::live : sim_way::recorded;
    r.program = std::make_unique<sim_program>(*r.app, way, sim_times{.given_ns = given}, true);
    r.program->set_adjustment([&panel, priced](task_tree& tree) {
      tree = with_aligned_arrays(tree);
      if (priced) price_bare_leaves(tree, panel);
    });
  }
  r.program->set_dealing({});
  if (series.how == dealing::statically) r.program->set_dealing(static_schedule);
  return *r.program;
}

sim_study experiment_study::study_of(point_at const& p, std::string const& placement, sim_program& program) const {
  return {program,
          machine_,
          {.pages = sim::page_placement::read("placement", placement)},
          {.numbers = numbers_of(p.panel, p.figures), .seats = what_.seats, .with_facts = !what_.fact.empty()}};
}

/// Of the panel's program, without what the series changes; of a series with an app of its own, that app.
double experiment_study::serial_of(point_at const& p) {
  experiment_series plain = what_.series[p.series];
  plain.how = dealing::by_policy;
  if (plain.run.app.empty()) plain.run = {};
  app_command const command = command_of(what_, what_.panels[p.panel], plain, p.x, quick_);
  // Its scheduler takes no time, whatever the prices.
  figure_setting const figures = p.figures.varied.starts_with("prices.") ? figure_setting{} : p.figures;
  auto const [at, fresh] = serials_.try_emplace({p.panel, command.app, command.options, figures});
  if (fresh) {
    stop_if_interrupted();
    sim_program& program = program_of(p, plain);
    before_run_(fmt::format("{}: the serial elision", what_.panels[p.panel].name));
    at->second = study_of(p, what_.serial_placement, program).run_serial().time_s;
  }
  return at->second;
}

bool experiment_study::asks_for_one_worker() const {
  auto const needs = [](quantity q) {
    return q == quantity::scalability || q == quantity::inflation || q == quantity::roof_share;
  };
  return needs(what_.shown) || what_.chart == chart_kind::breakdown ||
         std::ranges::any_of(what_.expected, needs, &expectation::what) ||
         std::ranges::any_of(what_.stated, needs, &stated_value::of);
}

experiment_study::alone const& experiment_study::alone_of(point_at const& p) {
  // One worker does the same for every x that is a number of workers.
  double const x = what_.x.option.empty() ? 0 : p.x;
  auto const [at, fresh] = alones_.try_emplace({p.panel, p.series, x, p.figures});
  if (fresh && asks_for_one_worker()) {
    stop_if_interrupted();
    experiment_series const& series = what_.series[p.series];
    sim_program& program = program_of(p, series);
    before_run_(fmt::format("{}: {}, one worker", what_.panels[p.panel].name, series.name));
    sim_outcome const one = study_of(p, what_.serial_placement, program).run(series.policy, 1, 1);
    at->second = {.time_s = one.time_s, .work_s = one.work_s, .memory = one.memory};
  }
  return at->second;
}

measured_point experiment_study::run(point_at const& p, std::string const& placement) {
  experiment_series const& series = what_.series[p.series];
  std::uint32_t const workers = workers_at(p.x);
  alone const& one = alone_of(p);
  measured_point made{
      .serial_s = serial_of(p), .alone_s = one.time_s, .alone_work_s = one.work_s, .placement = placement};
  sim_program& program = program_of(p, series);
  sim_study study = study_of(p, placement, program);
  made.row = study.run_seeds(series.policy, workers, 1, quick_ ? 1 : what_.seeds, [&] {
    before_run_(fmt::format("{}: {} with {}", what_.panels[p.panel].name, series.name, in_words(workers, "worker")));
  });
  stop_if_interrupted();  // some seeds may be missing
  made.memory_s = memory_seconds(made.row, one, study.numbers());
  made.flops = flops_of(program.tree());
  if (!what_.fact.empty())
    made.fact =
        fact_of(made.row.median, what_.fact, series.run.app.empty() ? what_.panels[p.panel].run.app : series.run.app);
  return made;
}

double experiment_study::memory_seconds(sim_row const& row, alone const& one, sim::machine_numbers const& by) const {
  layout const where = machine_.layout_of({.workers = row.workers, .order = what_.seats});
  double const all = least_memory_s(row.median.memory, by, where);
  return one.time_s > 0 ? std::min(all, least_memory_s(one.memory, by, where)) : all;
}

/// The placement that is fastest at the last x.
std::string const& experiment_study::placement_of(point_at const& p) {
  experiment_run const& own = what_.series[p.series].run;
  std::vector<std::string> const& all = own.placements.empty() ? what_.panels[p.panel].run.placements : own.placements;
  if (all.size() == 1) return all.front();
  std::string& chosen = placements_[{p.panel, p.series}];
  if (!chosen.empty()) return chosen;
  point_at const last{.panel = p.panel, .series = p.series, .x = what_.x.values.back()};
  std::optional<measured_point> best;
  for (std::string const& each : all) {
    measured_point tried = run(last, each);
    if (!best || tried.row.median.time_s < best->row.median.time_s) best = std::move(tried);
  }
  chosen = best->placement;
  points_.insert_or_assign(last, *std::move(best));
  return chosen;
}

measured_point const* experiment_study::find(point_at const& p) const {
  auto const found = points_.find(p);
  return found == points_.end() ? nullptr : &found->second;
}

measured_point const& experiment_study::at(point_at const& p) {
  std::string const& placement = placement_of(p);
  if (auto const found = points_.find(p); found != points_.end()) return found->second;
  return points_.emplace(p, run(p, placement)).first->second;
}

}  // namespace skua::cli
