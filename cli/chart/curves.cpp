// SPDX-License-Identifier: MIT
// Charts of curves.
#include "cli/chart/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "apps/picture/text.hpp"
#include "cli/chart/frame.hpp"

namespace skua::cli {
namespace {

using apps::svg;
using anchor = svg::anchor;
namespace look = apps::look;

constexpr std::size_t panels_in_a_row = 2;
constexpr double before_number = 8;  // between the turned title of the y axis and its numbers
constexpr double after_number = look::tick_length + 4;
constexpr double title_ascent = 12;  // of a turned text, which stands left of its x
constexpr double inside = 8;         // between the frame and the first and last point
constexpr double below_plot = 60;    // numbers and title of the x axis, and a gap

/// Where a panel is, and how it turns values into pixels.
struct frame {
  double left = 0;  ///< of its texts
  double x0 = 0;    ///< of the plot
  double y0 = 0;
  double width = 0;  ///< of the plot
  double height = 0;
  double least = 0;
  double most = 1;
  double top_value = 1;
  bool is_log = false;

  [[nodiscard]] double x(double value) const {
    double const from = is_log ? std::log2(least) : least;
    double const to = is_log ? std::log2(most) : most;
    double const at = is_log ? std::log2(value) : value;
    return x0 + inside + (to > from ? (at - from) / (to - from) : 0.5) * (width - 2 * inside);
  }
  [[nodiscard]] double y(double value) const { return y0 + height * (1 - value / top_value); }
};

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

double widest_number(std::vector<chart_panel> const& panels) {
  double widest = 0;
  for (chart_panel const& p : panels) {
    for (double const t : y_ticks(p)) widest = std::max(widest, apps::text_width(fmt::format("{:g}", t)));
  }
  return widest;
}

void draw_y(svg& on, frame const& f, std::vector<double> const& ticks, std::string_view label) {
  for (double const t : ticks) {
    double const y = f.y(t);
    on.line({f.x0 - look::tick_length, y}, {f.x0 + f.width, y}, look::line);
    on.text({f.x0 - after_number, y + 4}, fmt::format("{:g}", t), anchor::end, {.colour = look::soft});
  }
  on.text({f.left + title_ascent, f.y0 + f.height / 2}, apps::fitted(label, f.height), anchor::middle,
          {.colour = look::soft, .turned = -90});
}

void draw_x(svg& on, frame const& f, std::set<double> const& xs, std::string_view label) {
  double const bottom = f.y0 + f.height;
  axis_numbers numbers(on, bottom + 18);
  for (double const x : xs) {
    on.line({f.x(x), bottom}, {f.x(x), bottom + look::tick_length}, look::line);
    numbers.add(f.x(x), x);
  }
  on.text({f.x0 + f.width / 2, bottom + 34}, apps::fitted(label, f.width), anchor::middle, {.colour = look::soft});
}

void draw_panel(svg& on, chart_texts const& texts, chart_panel const& p, frame f) {
  std::set<double> const xs = xs_of(p);
  std::vector<double> const ticks = y_ticks(p);
  f.is_log = texts.x_is_log;
  f.top_value = ticks.back();
  draw_y(on, f, ticks, texts.y_label);
  if (xs.empty()) return;
  f.least = *xs.begin();
  f.most = *xs.rbegin();
  draw_x(on, f, xs, texts.x_label);
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

std::vector<double> ticks_to(double most, int wanted) {
  if (!(most > 0) || !std::isfinite(most)) return {0, 1};
  double const rough = most / wanted;
  double const power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (double const factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough * (1 - 1e-9)) {
      step = factor * power;
      break;
    }
  }
  std::vector<double> all;
  for (int i = 0; all.empty() || all.back() < most * (1 - 1e-9); ++i) all.push_back(i * step);
  return all;
}

std::string line_chart(chart_texts const& texts, std::vector<chart_panel> const& panels) {
  svg on;
  double y = draw_heading(on, texts);
  std::size_t const columns = std::clamp<std::size_t>(panels.size(), 1, panels_in_a_row);
  double const column = (chart_right - chart_margin / 2) / static_cast<double>(columns);
  frame f{.height = columns == 1 ? 240.0 : 180.0};
  double const before_plot = title_ascent + before_number + widest_number(panels) + after_number;
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
