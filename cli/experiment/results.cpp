// SPDX-License-Identifier: MIT
#include "cli/experiment/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "cli/simulate/results.hpp"
#include "cli/text/interrupt.hpp"
#include "cli/text/json_row.hpp"
#include "cli/text/report.hpp"

namespace skua::cli {
namespace {

std::string shown(double value, quantity q) {
  switch (q) {
    case quantity::time:
    case quantity::work:
    case quantity::scheduling:
    case quantity::idle: return in_seconds(value);
    default: return fmt::format("{:.4g}", value);
  }
}

std::string curves_table(experiment_results const& r, std::size_t panel) {
  experiment const& e = *r.of;
  std::vector<table::column> columns{{e.x.label}};
  for (double const x : r.xs) columns.push_back({fmt::format("{:g}", x), true});
  table t(std::move(columns));
  for (std::size_t s = 0; s < e.series.size(); ++s) {
    std::vector<std::string> cells{e.series[s].name};
    for (double const x : r.xs) {
      auto const* const p = r.find(panel, s, x);
      cells.push_back(p == nullptr ? "" : shown(value_of(p->what, e.shown), e.shown));
    }
    t.add(std::move(cells));
  }
  return t.text("  ");
}

/// A line per panel and series: the times at the last x.
std::string last_table(experiment_results const& r) {
  experiment const& e = *r.of;
  table t({{"program"},
           {"series"},
           {"pages"},
           {"T_1", true},
           {"T_P", true},
           {"T_1/T_P", true},
           {"W_P", true},
           {"inflation", true},
           {"scheduling", true},
           {"idle", true}});
  for (std::size_t panel = 0; panel < e.panels.size(); ++panel) {
    for (std::size_t s = 0; s < e.series.size(); ++s) {
      auto const* const p = r.find(panel, s, r.xs.back());
      if (p == nullptr) continue;
      sim_outcome const& o = p->what.row.median;
      t.add({label_of(e.panels[panel], r.quick), e.series[s].name, p->what.placement, in_seconds(p->what.alone_s),
             in_seconds(o.time_s), fmt::format("{:.2f}", value_of(p->what, quantity::scalability)),
             in_seconds(o.work_s), fmt::format("{:.2f}", value_of(p->what, quantity::inflation)),
             in_seconds(o.scheduling_s), in_seconds(o.idle_s)});
    }
  }
  return t.text("  ") +
         fmt::format("  P = {:g}; times other than T_1 and T_P are sums over the workers\n", r.xs.back());
}

std::string heading(experiment_results const& r) {
  experiment const& e = *r.of;
  std::string text = fmt::format(
      "{}: {}\n  {}\n  claim: {}\n  simulated on the machine model {}, workers {}", e.name, e.title, e.where, e.claim,
      r.machine, e.seats == runtime::spread::scatter ? "scattered over the sockets" : "packed on the fewest sockets");
  if (!e.x.option.empty()) text += fmt::format("; {} workers", e.workers);
  if (e.seeds > 1 && !r.quick) text += fmt::format("; medians of {} seeds", e.seeds);
  if (r.quick) text += "; small inputs, which show only that it runs";
  if (r.done < r.planned) text += fmt::format("\n  interrupted after {} of {} simulated points", r.done, r.planned);
  return text + "\n";
}

std::string tables(experiment_results const& r) {
  experiment const& e = *r.of;
  if (e.chart != chart_kind::lines) return last_table(r);
  std::string text;
  for (std::size_t panel = 0; panel < e.panels.size(); ++panel) {
    bool const is_whole = e.panels[panel].name == e.title;  // the experiment has no panels
    std::string const name = is_whole ? "" : label_of(e.panels[panel], r.quick) + ": ";
    text += fmt::format("{}{}{}\n", name, name_of(e.shown),
                        e.shown == quantity::speed_up ? " over the serial elision" : "");
    text += curves_table(r, panel);
  }
  return text;
}

std::string in_digits(std::optional<double> value) { return value ? fmt::format("{:.3g}", *value) : "-"; }

/// What fails stands out.
std::string standing_text(standing s) {
  return s == standing::holds ? "yes" : s == standing::fails ? "NO" : std::string{name_of(s)};
}

std::string verdicts_text(experiment_results const& r) {
  if (r.verdicts.empty()) return "";
  table t({{"expected"},
           {"where"},
           {"bound", true},
           {"here", true},
           {"low ends", true},
           {"high ends", true},
           {"holds"},
           {"paper"}});
  for (verdict const& v : r.verdicts) {
    t.add({v.of->says, v.panel, bounds_of(*v.of), in_digits(v.value), in_digits(v.low), in_digits(v.high),
           standing_text(v.stands()), v.of->stated});
  }
  return t.text("  ") +
         "  low ends, high ends: the same with all assumed figures of the machine model at that end of their ranges;\n"
         "  figures act against each other, so these do not bound the value under \"here\"; a statement holds if it\n"
         "  holds in all three columns (--vary shows the figures on which it depends)\n";
}

std::string stated_text(experiment_results const& r) {
  experiment const& e = *r.of;
  if (e.stated.empty() || r.quick) return "";
  table t({{"stated in the paper"}, {"series"}, {"at", true}, {"quantity"}, {"paper", true}, {"here", true}, {"note"}});
  for (stated_value const& v : e.stated) {
    auto const series = std::ranges::find(e.series, v.at.series, &experiment_series::name);
    auto const panel = std::ranges::find(e.panels, v.panel, &experiment_panel::name);
    auto const* const p = r.find(static_cast<std::size_t>(panel - e.panels.begin()),
                                 static_cast<std::size_t>(series - e.series.begin()), v.at.x);
    t.add({v.panel, v.at.series, fmt::format("{:g}", v.at.x), std::string{name_of(v.of)}, shown(v.value, v.of),
           p == nullptr ? "" : shown(value_of(p->what, v.of), v.of), v.note});
  }
  return t.text("  ");
}

/// Null where the experiment shows nothing that needs one worker.
cell over_one(measured_point const& p, double value) { return p.alone_s > 0 ? cell::of(value) : cell::of(nullptr); }

report rows_of(experiment_results const& r) {
  experiment const& e = *r.of;
  report all;
  for (auto const& p : r.points) {
    measured_point const& what = p.what;
    experiment_series const& s = e.series[p.series];
    std::vector<named_cell> cells{
        {"model", "", cell::of(r.machine)},   {"panel", "", cell::of(label_of(e.panels[p.panel], r.quick))},
        {"series", "", cell::of(s.name)},     {"placement", "", cell::of(what.placement)},
        {"x_label", "", cell::of(e.x.label)}, {"x", "", cell::of(p.x)}};
    std::ranges::move(sim_cells(what.row, what.serial_s), std::back_inserter(cells));
    cells.push_back({"serial_s", "", cell::of(what.serial_s)});
    cells.push_back({"one_worker_s", "", over_one(what, what.alone_s)});
    cells.push_back({"inflation_over_one_work", "", over_one(what, value_of(what, quantity::inflation))});
    cells.push_back({"gflops", "", cell::of(value_of(what, quantity::gflops))});
    cells.push_back({"misses_bytes", "", cell::of(value_of(what, quantity::misses))});
    cells.push_back({"memory_s", "", cell::of(what.memory_s)});
    cells.push_back({"fact", "", e.fact.empty() ? cell::of(nullptr) : cell::of(what.fact)});
    common_keys common = sim_keys(what.row, true);  // a wrong answer ends the experiment
    if (s.how == dealing::statically) common.runner = "static";
    all.add_named(row_of(common, std::move(cells)));
  }
  return all;
}

report verdict_rows(experiment_results const& r) {
  std::vector<report::column> columns;
  for (char const* const key : {"says", "panel", "value", "value_low_ends", "value_high_ends", "at_least", "at_most",
                                "holds", "standing", "stated"})
    columns.push_back({key, ""});
  report all(std::move(columns));
  auto const known = [](std::optional<double> v) { return v ? cell::of(*v) : cell::of(nullptr); };
  for (verdict const& v : r.verdicts) {
    expectation const& e = *v.of;
    standing const stands = v.stands();
    all.add({cell::of(e.says), cell::of(v.panel), known(v.value), known(v.low), known(v.high), known(e.at_least),
             known(e.at_most), stands == standing::not_run ? cell::of(nullptr) : cell::of(stands == standing::holds),
             cell::of(name_of(stands)), cell::of(e.stated)});
  }
  return all;
}

struct planned_point {
  point_at where;
  bool is_shown = false;  ///< otherwise only verdicts need it
};

/// Each point once: of each panel those that are shown, then what else its verdicts rest on.
std::vector<planned_point> plan_of(experiment_study const& study) {
  experiment const& e = study.what();
  std::vector<planned_point> all;
  std::set<point_at> there;
  auto const add = [&](point_at const& p, bool is_shown) {
    if (there.insert(p).second) all.push_back({p, is_shown});
  };
  for (std::size_t panel = 0; panel < e.panels.size(); ++panel) {
    for (double const x : study.xs()) {
      for (std::size_t s = 0; s < e.series.size(); ++s) add({.panel = panel, .series = s, .x = x}, true);
    }
    if (study.quick()) continue;
    for (point_at const& p : points_of_verdicts(e, panel)) add(p, false);
  }
  return all;
}

}  // namespace

experiment_results::point const* experiment_results::find(std::size_t panel, std::size_t series, double x) const {
  auto const at =
      std::ranges::find_if(points, [&](point const& p) { return p.panel == panel && p.series == series && p.x == x; });
  return at == points.end() ? nullptr : &*at;
}

experiment_results run_experiment(experiment_study& study,
                                  std::function<void(std::size_t, std::size_t)> const& before_run) {
  experiment_results all{.of = &study.what(),
                         .machine = study.machine().name(),
                         .quick = study.quick(),
                         .xs = study.xs(),
                         .points = {},
                         .verdicts = {}};
  std::vector<planned_point> const plan = plan_of(study);
  all.planned = plan.size();
  try {
    for (planned_point const& next : plan) {
      stop_if_interrupted();
      if (before_run) before_run(all.done, all.planned);
      measured_point const& made = study.at(next.where);
      if (next.is_shown) all.points.push_back({next.where.panel, next.where.series, next.where.x, made});
      ++all.done;
      keep_after_interrupts();
    }
  } catch (interruption const&) {
    if (all.points.empty()) throw;
  }
  for (std::size_t panel = 0; panel < study.what().panels.size() && !study.quick(); ++panel)
    std::ranges::copy(verdicts_of(study, panel), std::back_inserter(all.verdicts));
  return all;
}

std::string text_of(experiment_results const& r) {
  return heading(r) + "\n" + tables(r) + "\n" + stated_text(r) + verdicts_text(r);
}

std::string csv_of(experiment_results const& r) { return rows_of(r).csv(); }
std::string verdicts_csv(experiment_results const& r) { return verdict_rows(r).csv(); }

json document_of(std::string_view subcommand, experiment const& e, std::size_t done, std::size_t planned) {
  return {{"subcommand", subcommand},
          {"experiment", e.name},
          {"title", e.title},
          {"where", e.where},
          {"claim", e.claim},
          {"simulated", true},
          {"interrupted", done < planned},
          {"points", done},
          {"planned_points", planned}};
}

json to_json(experiment_results const& r, sim::machine_model const& machine) {
  json all = document_of("experiment", *r.of, r.done, r.planned);
  all["quick"] = r.quick;
  all.update(to_json(machine));
  all["verdicts"] = verdict_rows(r).rows();
  all["rows"] = rows_of(r).rows();
  return all;
}

}  // namespace skua::cli
