// SPDX-License-Identifier: MIT
// Charts of columns, of which there may be more than pixels.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "cli/chart/chart.hpp"
#include "cli/chart/frame.hpp"

namespace skua::cli {
namespace {

using apps::svg;
namespace look = apps::look;

constexpr double narrowest = 2;     // a column
constexpr double least_gap_at = 4;  // narrower columns touch each other
constexpr double gap = 1;
constexpr double panel_height = 110;
constexpr double beside_plot = 8;  // what plot_area::x keeps free inside the frame, on each side
constexpr look::paint mean_paint = look::series[0];
constexpr look::paint largest_paint = look::series[1];

/// What the columns of all panels have in common.
struct column_layout {
  plot_area area;
  std::size_t values = 0;      ///< of a panel
  std::size_t per_column = 1;  ///< neighbours
  std::vector<double> ticks;   ///< of y
};

column_layout layout_for(std::vector<column_panel> const& panels, double level) {
  column_layout found;
  double most = level;
  for (column_panel const& p : panels) {
    found.values = std::max(found.values, p.values.size());
    for (double const v : p.values) most = std::max(most, v);
  }
  found.ticks = ticks_to(most, 4);
  plot_area& area = found.area;
  area.left = chart_margin;
  area.x0 = area.left + width_before_plot(found.ticks);
  area.width = chart_right - area.x0;
  area.height = panel_height;
  area.least = -0.5;
  area.most = static_cast<double>(found.values) - 0.5;
  area.top_value = found.ticks.back();
  double const room = std::floor((area.width - 2 * beside_plot) / narrowest);
  found.per_column = static_cast<std::size_t>(std::max(1.0, std::ceil(static_cast<double>(found.values) / room)));
  return found;
}

void draw_columns(svg& on, column_layout const& by, plot_area const& area, std::vector<double> const& values) {
  for (std::size_t first = 0; first < values.size(); first += by.per_column) {
    std::size_t const end = std::min(first + by.per_column, values.size());
    auto const begin = values.begin() + static_cast<std::ptrdiff_t>(first);
    auto const stop = values.begin() + static_cast<std::ptrdiff_t>(end);
    double const largest = *std::max_element(begin, stop);
    double const mean = std::accumulate(begin, stop, 0.0) / static_cast<double>(end - first);
    // Whole pixels, so that the ground does not shine through between columns that touch.
    double const left = std::round(area.x(static_cast<double>(first) - 0.5));
    double const all = std::round(area.x(static_cast<double>(end) - 0.5)) - left;
    double const width = all >= least_gap_at ? all - gap : all;
    if (by.per_column > 1) on.box({left, area.y(largest)}, width, area.y(mean) - area.y(largest), largest_paint);
    on.box({left, area.y(mean)}, width, area.y(0) - area.y(mean), mean_paint);
  }
}

std::set<double> numbers_below(std::size_t values) {
  std::set<double> all;
  for (double const t : ticks_to(static_cast<double>(values) - 1, 8)) {
    if (t == std::floor(t) && t < static_cast<double>(values)) all.insert(t);
  }
  return all;
}

std::vector<legend_entry> legend_of_columns(column_layout const& by, std::string const& level_label) {
  std::vector<legend_entry> all;
  if (by.per_column > 1) {
    all.push_back({.name = fmt::format("mean of {} neighbours", by.per_column), .colour = mean_paint});
    all.push_back({.name = "the largest of them", .colour = largest_paint});
  }
  all.push_back(
      {.name = level_label, .colour = look::ink, .shown = legend_entry::sample::level, .dash = look::ideal_dash});
  return all;
}

}  // namespace

std::string column_chart(chart_texts const& texts, std::vector<column_panel> const& panels, double level) {
  column_layout const by = layout_for(panels, level);
  svg on;
  double y = draw_heading(on, texts) + 6;
  for (column_panel const& p : panels) {
    y = on.paragraph({chart_margin, y}, p.title, chart_right - chart_margin, {.bold = true}).y;
    plot_area area = by.area;
    area.y0 = y - chart_line + 12;
    draw_axes(on, area, texts, by.ticks, numbers_below(by.values));
    draw_columns(on, by, area, p.values);
    on.line({area.x0, area.y(level)}, {area.x0 + area.width, area.y(level)}, look::ink, look::curve_width,
            look::ideal_dash);
    y = area.y0 + area.height + below_plot;
  }
  return finished(on, texts, draw_legend(on, legend_of_columns(by, texts.mark_label), y + 4));
}

}  // namespace skua::cli
