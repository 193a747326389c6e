// SPDX-License-Identifier: MIT
// Charts of curves.
#include "cli/chart/chart.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "cli/chart/frame.hpp"

namespace skua::cli {
namespace {

using apps::svg;
namespace look = apps::look;

constexpr std::size_t panels_in_a_row = 2;

double most_of(chart_panel const& p) {
  double most = 0;
  for (chart_curve const& c : p.curves) {
    for (auto const& [x, y] : c.points) most = std::isfinite(y) ? std::max(most, y) : most;
  }
  for (chart_mark const& m : p.marks) most = std::max(most, m.y);
  return most;
}

std::vector<double> y_ticks(chart_panel const& p) { return ticks_to(most_of(p), 5); }

std::set<double> xs_of(chart_panel const& p) {
  std::set<double> all;
  for (chart_curve const& c : p.curves) {
    for (auto const& [x, y] : c.points) all.insert(x);
  }
  return all;
}

void draw_panel(svg& on, chart_texts const& texts, chart_panel const& p, plot_area f) {
  std::set<double> const xs = xs_of(p);
  std::vector<double> const ticks = y_ticks(p);
  f.is_log = texts.x_is_log;
  f.top_value = ticks.back();
  if (!xs.empty()) std::tie(f.least, f.most) = std::pair(*xs.begin(), *xs.rbegin());
  draw_axes(on, f, texts, ticks, xs);
  if (xs.empty()) return;
  for (std::size_t i = 0; i < p.curves.size(); ++i) {
    std::vector<svg::point> path;
    for (auto const& [x, y] : p.curves[i].points) {
      if (std::isfinite(y)) path.push_back({f.x(x), f.y(y)});
    }
    draw_curve(on, path, sample_of(i, ""));
  }
  for (chart_mark const& m : p.marks) on.ring({f.x(m.x), f.y(m.y)}, look::series[m.curve % look::series.size()]);
}

std::vector<legend_entry> legend_of(std::vector<chart_panel> const& panels, std::string const& mark_label) {
  std::vector<legend_entry> all;
  if (panels.empty()) return all;
  for (chart_curve const& c : panels.front().curves) all.push_back(sample_of(all.size(), c.name));
  if (std::ranges::any_of(panels, [](chart_panel const& p) { return !p.marks.empty(); }))
    all.push_back({.name = mark_label, .colour = look::soft, .shown = legend_entry::sample::ring});
  return all;
}

}  // namespace

std::string line_chart(chart_texts const& texts, std::vector<chart_panel> const& panels) {
  svg on;
  double y = draw_heading(on, texts);
  std::size_t const columns = std::clamp<std::size_t>(panels.size(), 1, panels_in_a_row);
  double const column = (chart_right - chart_margin / 2) / static_cast<double>(columns);
  plot_area f{.height = columns == 1 ? 240.0 : 180.0};
  double before_plot = 0;
  for (chart_panel const& p : panels) before_plot = std::max(before_plot, width_before_plot(y_ticks(p)));
  f.width = column - before_plot - chart_margin / 2;
  for (std::size_t first = 0; first < panels.size(); first += columns) {
    std::size_t const end = std::min(first + columns, panels.size());
    double lowest = y;  // title of this row
    for (std::size_t i = first; i < end; ++i) {
      svg::point const at{chart_margin / 2 + static_cast<double>(i - first) * column + chart_margin / 2, y};
      lowest = std::max(lowest, on.paragraph(at, panels[i].title, column - chart_margin, {.bold = true}).y);
    }
    f.y0 = lowest - chart_line + 12;
    for (std::size_t i = first; i < end; ++i) {
      f.left = chart_margin / 2 + static_cast<double>(i - first) * column;
      f.x0 = f.left + before_plot;
      draw_panel(on, texts, panels[i], f);
    }
    y = f.y0 + f.height + below_plot;
  }
  y = draw_legend(on, legend_of(panels, texts.mark_label), y + 4);
  return finished(on, texts, y);
}

}  // namespace skua::cli
