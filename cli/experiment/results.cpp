// SPDX-License-Identifier: MIT
#include "cli/experiment/report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/experiment/chart.hpp"
#include "cli/table.hpp"

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

std::string quoted_csv(std::string_view text) {
  if (text.find_first_of(",\"\n") == std::string_view::npos) return std::string{text};
  std::string safe = "\"";
  for (char const c : text) safe += c == '"' ? std::string{"\"\""} : std::string{c};
  return safe + "\"";
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

/// One line per panel and series: the times of the last x.
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
      t.add({e.panels[panel].name, e.series[s].name, p->what.placement, in_seconds(p->what.alone_s),
             in_seconds(o.time_s), fmt::format("{:.2f}", value_of(p->what, quantity::scalability)),
             in_seconds(o.work_s), fmt::format("{:.2f}", value_of(p->what, quantity::inflation)),
             in_seconds(o.scheduling_s), in_seconds(o.idle_s)});
    }
  }
  return t.text("  ") + fmt::format("  P = {:g}; times are sums over the workers but for T_1 and T_P\n", r.xs.back());
}

std::string bounds_of(expectation const& e) {
  if (e.at_least && e.at_most) return fmt::format("{:g} to {:g}", *e.at_least, *e.at_most);
  return e.at_least ? fmt::format(">= {:g}", *e.at_least) : fmt::format("<= {:g}", *e.at_most);
}

chart_words words_of(experiment_results const& r) {
  experiment const& e = *r.of;
  std::string const unit{unit_of(e.shown)};
  std::string y{name_of(e.shown)};
  if (!unit.empty() && unit != y) y += " (" + unit + ")";
  return {.title = e.title,
          .subtitle = fmt::format("simulated on the machine model {}{}; {}", r.machine, r.quick ? ", small inputs" : "",
                                  e.where),
          .x_label = e.x.label,
          .y_label = std::move(y),
          .mark_label = "ring: stated in the paper",
          .x_is_log = e.x.is_log};
}

std::string curves_picture(experiment_results const& r) {
  experiment const& e = *r.of;
  std::vector<chart_panel> panels;
  for (std::size_t panel = 0; panel < e.panels.size(); ++panel) {
    chart_panel made{.title = e.panels[panel].name, .curves = {}};
    for (std::size_t s = 0; s < e.series.size(); ++s) {
      chart_curve curve{.name = e.series[s].name, .points = {}};
      for (double const x : r.xs) {
        if (auto const* const p = r.find(panel, s, x)) curve.points.emplace_back(x, value_of(p->what, e.shown));
      }
      made.curves.push_back(std::move(curve));
    }
    for (stated_value const& v : e.stated) {
      if (r.quick || v.panel != made.title || v.of != e.shown) continue;
      auto const at = std::ranges::find(e.series, v.at.series, &experiment_series::name);
      made.marks.push_back({static_cast<std::size_t>(at - e.series.begin()), v.at.x, v.value});
    }
    panels.push_back(std::move(made));
  }
  return line_chart(words_of(r), panels);
}

std::string bars_picture(experiment_results const& r) {
  experiment const& e = *r.of;
  bool const is_breakdown = e.chart == chart_kind::breakdown;
  std::vector<std::string> names;
  for (experiment_series const& s : e.series) names.push_back(s.name);
  std::vector<chart_group> groups;
  for (std::size_t panel = 0; panel < e.panels.size(); ++panel) {
    chart_group group{.name = e.panels[panel].name, .bars = {}};
    for (std::size_t s = 0; s < e.series.size(); ++s) {
      auto const* const p = r.find(panel, s, r.xs.back());
      if (p == nullptr) continue;
      sim_outcome const& o = p->what.row.median;
      double const one = p->what.alone_s > 0 ? p->what.alone_s : 1;
      if (is_breakdown) {
        group.bars.push_back({o.work_s / one, o.scheduling_s / one, o.idle_s / one});
      } else {
        group.bars.push_back({value_of(p->what, e.shown)});
      }
    }
    groups.push_back(std::move(group));
  }
  chart_words words = words_of(r);
  std::vector<std::string> parts{""};
  if (is_breakdown) {
    words.y_label = "time of all workers / T_1";
    parts = {"work", "scheduling", "idle"};
  }
  return bar_chart(words, names, parts, groups);
}

}  // namespace

experiment_results::point const* experiment_results::find(std::size_t panel, std::size_t series, double x) const {
  auto const at =
      std::ranges::find_if(points, [&](point const& p) { return p.panel == panel && p.series == series && p.x == x; });
  return at == points.end() ? nullptr : &*at;
}

experiment_results run_experiment(experiment_study& study) {
  experiment_results all{.of = &study.what(),
                         .machine = study.machine().name(),
                         .quick = study.quick(),
                         .xs = study.xs(),
                         .points = {},
                         .verdicts = {}};
  for (std::size_t panel = 0; panel < study.what().panels.size(); ++panel) {
    for (double const x : all.xs) {
      for (std::size_t s = 0; s < study.what().series.size(); ++s) {
        all.points.push_back({panel, s, x, study.at({.panel = panel, .series = s, .x = x})});
      }
    }
    if (study.quick()) continue;
    std::vector<verdict> const here = verdicts_of(study, panel);
    all.verdicts.insert(all.verdicts.end(), here.begin(), here.end());
  }
  return all;
}

std::string heading(experiment_results const& r) {
  experiment const& e = *r.of;
  std::string text = fmt::format(
      "{}: {}\n  {}\n  claim: {}\n  simulated on the machine model {}, workers {}", e.name, e.title, e.where, e.claim,
      r.machine, e.seats == spread::scatter ? "scattered over the sockets" : "packed on the fewest sockets");
  if (!e.x.option.empty()) text += fmt::format("; {} workers", e.workers);
  if (e.seeds > 1 && !r.quick) text += fmt::format("; medians of {} seeds", e.seeds);
  if (r.quick) text += "; small inputs, which show nothing but that it runs";
  return text + "\n";
}

std::string table_for_people(experiment_results const& r) {
  experiment const& e = *r.of;
  if (e.chart != chart_kind::lines) return last_table(r);
  std::string text;
  for (std::size_t panel = 0; panel < e.panels.size(); ++panel) {
    std::string const name = e.panels.size() > 1 ? e.panels[panel].name + ": " : "";
    text += fmt::format("{}{}{}\n", name, name_of(e.shown),
                        e.shown == quantity::speed_up ? " over the serial elision" : "");
    text += curves_table(r, panel);
  }
  return text;
}

std::string verdicts_for_people(experiment_results const& r) {
  if (r.verdicts.empty()) return "";
  table t({{"expected"}, {"where"}, {"bound", true}, {"here", true}, {"low .. high", true}, {"holds"}, {"paper"}});
  for (verdict const& v : r.verdicts) {
    t.add({v.of->says, v.panel, bounds_of(*v.of), fmt::format("{:.3g}", v.value),
           fmt::format("{:.3g} .. {:.3g}", v.low, v.high), v.holds ? "yes" : "NO", v.of->stated});
  }
  return t.text("  ") +
         "  low, high: the same with every assumed figure of the machine model at that end of its plausible range\n";
}

std::string stated_for_people(experiment_results const& r) {
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

std::string csv_of(experiment_results const& r) {
  experiment const& e = *r.of;
  std::string text = "simulated,machine,panel,series,policy,pages,";
  text +=
      quoted_csv(e.x.label) + ",workers,seeds,seed,time_s,min_s,max_s,serial_s,one_worker_s,speed_up,gflops,work_s," +
      "scheduling_s,idle_s,inflation,steals,private_cache,shared_cache,neighbour_cache,local_memory,remote_memory," +
      "remote_cache\n";
  for (auto const& p : r.points) {
    sim_outcome const& o = p.what.row.median;
    experiment_series const& s = e.series[p.series];
    text += fmt::format("yes,{},{},{},{},{},{:g},{},{},{},", r.machine, quoted_csv(e.panels[p.panel].name),
                        quoted_csv(s.name), quoted_csv(s.how == dealing::statically ? "static" : s.policy),
                        p.what.placement, p.x, p.what.row.workers, r.quick ? 1 : e.seeds, o.seed);
    text += fmt::format("{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{:.6g},{:.6g},{:.9g},{:.9g},{:.9g},{:.6g},{}", o.time_s,
                        p.what.row.min_s, p.what.row.max_s, p.what.serial_s, p.what.alone_s,
                        value_of(p.what, quantity::speed_up), value_of(p.what, quantity::gflops), o.work_s,
                        o.scheduling_s, o.idle_s, value_of(p.what, quantity::inflation), o.steals);
    sim::memory_account const& m = o.memory;
    for (auto const bytes :
         {m.private_bytes, m.shared_bytes, m.neighbour_bytes, m.local_bytes, m.remote_bytes, m.transfer_bytes})
      text += fmt::format(",{}", bytes);
    text += "\n";
  }
  return text;
}

std::string picture_of(experiment_results const& r) {
  return r.of->chart == chart_kind::lines ? curves_picture(r) : bars_picture(r);
}

}  // namespace skua::cli
