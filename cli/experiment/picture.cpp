// SPDX-License-Identifier: MIT
// The picture of an experiment: its points as the curves or bars of a chart.
#include <fmt/format.h>

#include <algorithm>

#include "cli/chart/chart.hpp"
#include "cli/experiment/results.hpp"

namespace skua::cli {
namespace {

/// A line per verdict.
std::vector<std::string> notes_of(experiment_results const& r) {
  std::vector<std::string> all;
  for (verdict const& v : r.verdicts) {
    std::string const where = v.panel == r.of->title ? "" : v.panel + ": ";
    std::string const values =
        v.value && v.low && v.high
            ? fmt::format(": {:.3g} ({:.3g} at the low ends, {:.3g} at the high ends)", *v.value, *v.low, *v.high)
            : "";
    all.push_back(fmt::format("{}{}{}: {}", where, v.of->says, values, name_of(v.stands())));
  }
  return all;
}

chart_texts texts_of(experiment_results const& r) {
  experiment const& e = *r.of;
  std::string const unit{unit_of(e.shown)};
  std::string y{name_of(e.shown)};
  if (!unit.empty() && unit != y) y += " (" + unit + ")";
  return {.title = e.title,
          .subtitle = fmt::format("simulated on the machine model {}{}{}; {}", r.machine,
                                  r.quick ? ", small inputs" : "", r.done < r.planned ? ", interrupted" : "", e.where),
          .x_label = e.x.label,
          .y_label = std::move(y),
          .mark_label = "ring: stated in the paper",
          .notes = notes_of(r),
          .x_is_log = e.x.is_log};
}

std::string curves_picture(experiment_results const& r) {
  experiment const& e = *r.of;
  std::vector<chart_panel> panels;
  for (std::size_t panel = 0; panel < e.panels.size(); ++panel) {
    chart_panel made{.title = label_of(e.panels[panel], r.quick), .curves = {}};
    for (std::size_t s = 0; s < e.series.size(); ++s) {
      chart_curve curve{.name = e.series[s].name, .points = {}};
      for (double const x : r.xs) {
        if (auto const* const p = r.find(panel, s, x)) curve.points.emplace_back(x, value_of(p->what, e.shown));
      }
      made.curves.push_back(std::move(curve));
    }
    for (stated_value const& v : e.stated) {
      if (r.quick || v.panel != e.panels[panel].name || v.of != e.shown) continue;
      auto const at = std::ranges::find(e.series, v.at.series, &experiment_series::name);
      made.marks.push_back({static_cast<std::size_t>(at - e.series.begin()), v.at.x, v.value});
    }
    panels.push_back(std::move(made));
  }
  return line_chart(texts_of(r), panels);
}

std::string bars_picture(experiment_results const& r) {
  experiment const& e = *r.of;
  bool const is_breakdown = e.chart == chart_kind::breakdown;
  std::vector<std::string> names;
  for (experiment_series const& s : e.series) names.push_back(s.name);
  std::vector<chart_group> groups;
  for (std::size_t panel = 0; panel < e.panels.size(); ++panel) {
    chart_group group{.name = label_of(e.panels[panel], r.quick), .bars = {}};
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
  chart_texts texts = texts_of(r);
  std::vector<chart_part> parts;
  if (is_breakdown) {
    texts.y_label = "time of all workers / T_1";
    for (apps::look::paint const& p :
         {apps::look::called("work"), apps::look::called("scheduling"), apps::look::called("idle")})
      parts.push_back({std::string{p.name}, p});
  }
  return bar_chart(texts, names, parts, groups);
}

}  // namespace

std::string picture_of(experiment_results const& r) {
  return r.of->chart == chart_kind::lines ? curves_picture(r) : bars_picture(r);
}

}  // namespace skua::cli
