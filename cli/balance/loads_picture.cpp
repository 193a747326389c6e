// SPDX-License-Identifier: MIT
#include "cli/balance/loads_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/chart/chart.hpp"
#include "skua/parts/base/printable.hpp"

namespace skua::cli {
namespace {

using policies::balance::load_ns;

/// The largest unit that leaves the largest load at least 1.
struct axis_unit {
  std::string_view name;
  double ns = 1;
};

axis_unit unit_for(load_ns most) {
  for (axis_unit const& each : {axis_unit{"s", 1e9}, axis_unit{"ms", 1e6}, axis_unit{"us", 1e3}}) {
    if (static_cast<double>(most) >= each.ns) return each;
  }
  return {"ns", 1};
}

column_panel panel_of(std::string const& when, std::vector<load_ns> const& loads, double over_ideal, axis_unit unit) {
  column_panel made{.title = {}, .values = {}};
  load_ns most = 0;
  for (load_ns const load : loads) {
    most = std::max(most, load);
    made.values.push_back(static_cast<double>(load) / unit.ns);
  }
  made.title = fmt::format("{}: largest {}, {} over the mean", when, seconds_in_text(static_cast<double>(most) / 1e9),
                           in_percent(over_ideal, 2));
  return made;
}

std::string subtitle_of_loads(balance_frame const& frame) {
  std::string text =
      fmt::format("{} of {}", in_words(frame.before.tasks, "task"), runtime::printable(frame.distribution));
  if (frame.phase) text += ", " + frame.phase_text;
  if (!frame.pattern.empty()) text += fmt::format(", pattern {}, cost model {}", frame.pattern, frame.cost_model);
  text += fmt::format("; seed {}", frame.seed);
  if (frame.applications < frame.planned_applications) {
    text += fmt::format("; interrupted after {} of {}", frame.applications,
                        in_words(frame.planned_applications, "application"));
  }
  return text;
}

}  // namespace

std::string loads_picture(balance_frame const& frame, std::vector<balance_row> const& rows) {
  load_ns most = frame.before.max_before;
  for (balance_row const& r : rows) most = std::max(most, r.report.max_after);
  axis_unit const unit = unit_for(most);
  std::vector<column_panel> panels{panel_of("before", frame.loads_before, frame.before.over_ideal_before(), unit)};
  for (balance_row const& r : rows) {
    if (r.loads_after.empty()) continue;
    std::string const times = r.application > 1 ? fmt::format(", {} times", r.application) : "";
    panels.push_back(panel_of(fmt::format("after {}{}", runtime::printable(r.balancer), times), r.loads_after,
                              r.report.over_ideal_after(), unit));
  }
  chart_texts const texts{.title = fmt::format("Loads of {}", in_words(frame.before.ranks, "rank")),
                          .subtitle = subtitle_of_loads(frame),
                          .x_label = "rank",
                          .y_label = fmt::format("load ({})", unit.name),
                          .mark_label = fmt::format("mean load, {}", seconds_in_text(frame.before.average / 1e9))};
  return column_chart(texts, panels, frame.before.average / unit.ns);
}

}  // namespace skua::cli
