// SPDX-License-Identifier: MIT
#include "cli/experiment/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>

#include "apps/picture/svg.hpp"

namespace skua::cli {
namespace {

using apps::svg;
using anchor = apps::svg::anchor;

// Okabe and Ito's colours, which colour-blind people can tell apart, and black.
constexpr std::array<std::string_view, 8> colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                  "#e69f00", "#56b4e9", "#000000", "#7f7f00"};
constexpr double plot_width = 300;
constexpr double plot_height = 220;
constexpr double left = 88;
constexpr double top = 74;
constexpr double gap = 104;
constexpr double below = 62;
constexpr double legend_line = 18;
constexpr double font_size = 12;
constexpr double digit_width = 7.7;   // of a wide sans-serif font in this size
constexpr double letter_width = 6.6;  // the mean of English in the same font
constexpr std::size_t panels_in_a_row = 3;
constexpr double row_height = plot_height + 84;

std::string_view colour(std::size_t i) { return colours[i % colours.size()]; }

/// Turns values into pixels, in a frame with this top left corner.
struct scale {
  double x0 = left;
  double y0 = top;
  double least = 0;
  double most = 1;
  double top_value = 1;
  bool is_log = false;

  [[nodiscard]] double x(double value) const {
    double const from = is_log ? std::log2(least) : least;
    double const to = is_log ? std::log2(most) : most;
    double const at = is_log ? std::log2(value) : value;
    return x0 + (to > from ? (at - from) / (to - from) : 0.5) * plot_width;
  }
  [[nodiscard]] double y(double value) const { return y0 + plot_height * (1 - value / top_value); }
};

void draw_texts(svg& on, chart_texts const& texts) {
  on.text({left, 20}, texts.title, anchor::start, "font-size=\"15\" font-weight=\"bold\"");
  on.text({left, 38}, texts.subtitle, anchor::start, "fill=\"#444444\"");
}

/// Draws the frame and the ticks of y. Returns the value at the top.
double draw_y(svg& on, scale const& s, double width, double most, std::string_view label) {
  double const x0 = s.x0;
  std::vector<double> const ticks = ticks_to(most, 5);
  double const top_value = ticks.back();
  double widest = 0;
  for (double const t : ticks) {
    double const y = s.y0 + plot_height * (1 - t / top_value);
    on.line({x0, y}, {x0 + width, y}, t == 0 ? "#000000" : "#dddddd");
    std::string const tick = fmt::format("{:g}", t);
    widest = std::max(widest, digit_width * static_cast<double>(tick.size()));
    on.text({x0 - 6, y + 4}, tick, anchor::end);
  }
  on.line({x0, s.y0}, {x0, s.y0 + plot_height}, "#000000");
  double const middle = s.y0 + plot_height / 2;
  double const beside = x0 - 6 - widest - 8;  // a turned text stands left of its x, and a little right of it
  on.text({beside, middle}, label, anchor::middle,
          fmt::format("transform=\"rotate(-90 {:.1f} {:.1f})\"", beside, middle));
  return top_value;
}

void draw_x(svg& on, scale const& s, std::set<double> const& xs, std::string_view label) {
  double last = -1e9;
  for (double const x : xs) {
    double const at = s.x(x);
    on.line({at, s.y0 + plot_height}, {at, s.y0 + plot_height + 4}, "#000000");
    if (at - last < 20) continue;  // the numbers would overlap
    on.text({at, s.y0 + plot_height + 18}, fmt::format("{:g}", x), anchor::middle);
    last = at;
  }
  on.text({s.x0 + plot_width / 2, s.y0 + plot_height + 34}, label, anchor::middle);
}

double most_of(chart_panel const& p) {
  double most = 0;
  for (chart_curve const& c : p.curves) {
    for (auto const& [x, y] : c.points) most = std::isfinite(y) ? std::max(most, y) : most;
  }
  for (chart_mark const& m : p.marks) most = std::max(most, m.y);
  return most;
}

std::set<double> xs_of(chart_panel const& p) {
  std::set<double> all;
  for (chart_curve const& c : p.curves) {
    for (auto const& [x, y] : c.points) all.insert(x);
  }
  return all;
}

void draw_panel(svg& on, chart_texts const& texts, chart_panel const& p, scale s) {
  std::set<double> const xs = xs_of(p);
  s.is_log = texts.x_is_log;
  s.top_value = draw_y(on, s, plot_width, most_of(p), texts.y_label);
  if (xs.empty()) return;
  s.least = *xs.begin();
  s.most = *xs.rbegin();
  draw_x(on, s, xs, texts.x_label);
  on.text({s.x0 + plot_width / 2, s.y0 - 10}, p.title, anchor::middle, "font-weight=\"bold\"");
  for (std::size_t i = 0; i < p.curves.size(); ++i) {
    std::vector<svg::point> path;
    for (auto const& [x, y] : p.curves[i].points) {
      if (!std::isfinite(y)) continue;
      path.push_back({s.x(x), s.y(y)});
      on.dot(path.back(), colour(i));
    }
    on.curve(path, colour(i));
  }
  for (chart_mark const& m : p.marks) on.ring({s.x(m.x), s.y(m.y)}, colour(m.curve));
}

/// Draws a legend in two columns. Returns the height of the whole picture.
double draw_legend(svg& on, std::vector<std::string> const& names, std::string const& mark_label, double width,
                   double y) {
  double const column = std::max(180.0, (width - left) / 2);
  for (std::size_t i = 0; i < names.size(); ++i) {
    double const x = left + (i % 2 == 0 ? 0 : column);
    if (i > 0 && i % 2 == 0) y += legend_line;
    on.box({x, y - 8}, 20, 6, colour(i));
    on.text({x + 26, y}, names[i]);
  }
  if (!mark_label.empty()) {
    y += legend_line;
    on.ring({left + 10, y - 4}, "#444444");
    on.text({left + 26, y}, mark_label);
  }
  return y + legend_line;
}

/// Draws lines from `y` on. Returns the height of the whole picture.
double draw_notes(svg& on, std::vector<std::string> const& lines, double y) {
  for (std::string const& each : lines) {
    on.text({left, y}, each, anchor::start, "fill=\"#444444\"");
    y += legend_line;
  }
  return y;
}

/// Wide enough for `least` and for the notes.
double width_for(double least, std::vector<std::string> const& notes) {
  std::size_t longest = 0;
  for (std::string const& each : notes) longest = std::max(longest, each.size());
  return std::max(least, left + letter_width * static_cast<double>(longest) + 24);
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
  draw_texts(on, texts);
  bool marked = false;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    auto const column = static_cast<double>(i % panels_in_a_row);
    auto const row = static_cast<double>(i / panels_in_a_row);
    draw_panel(on, texts, panels[i], {.x0 = left + column * (plot_width + gap), .y0 = top + row * row_height});
    marked = marked || !panels[i].marks.empty();
  }
  std::vector<std::string> names;
  if (!panels.empty()) {
    for (chart_curve const& c : panels.front().curves) names.push_back(c.name);
  }
  auto const columns = static_cast<double>(std::min(panels.size(), panels_in_a_row));
  auto const rows = static_cast<double>((panels.size() + panels_in_a_row - 1) / panels_in_a_row);
  double const width = std::max(520.0, left + columns * (plot_width + gap) - gap + 24);
  double const y = top + rows * row_height;
  double const height = draw_notes(on, texts.notes, draw_legend(on, names, marked ? texts.mark_label : "", width, y));
  return on.document(width_for(width, texts.notes), height, texts.title, font_size);
}

std::string bar_chart(chart_texts const& texts, std::vector<std::string> const& bar_names,
                      std::vector<std::string> const& part_names, std::vector<chart_group> const& groups) {
  bool const is_stacked = part_names.size() > 1;
  double const bar = is_stacked ? 44 : 30;
  double const group = bar * static_cast<double>(bar_names.size()) + 24;
  double const plot = group * static_cast<double>(groups.size());
  double most = 0;
  for (chart_group const& g : groups) {
    for (auto const& parts : g.bars) {
      double all = 0;
      for (double const p : parts) all += p;
      most = std::max(most, all);
    }
  }
  svg on;
  draw_texts(on, texts);
  double const top_value = draw_y(on, scale{}, plot, most, texts.y_label);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    double const x0 = left + group * static_cast<double>(g) + 12;
    on.text({x0 + group / 2 - 12, top + plot_height + 34}, groups[g].name, anchor::middle);
    for (std::size_t b = 0; b < groups[g].bars.size(); ++b) {
      double const x = x0 + bar * static_cast<double>(b);
      double y = top + plot_height;
      for (std::size_t p = 0; p < groups[g].bars[b].size(); ++p) {
        double const height = groups[g].bars[b][p] / top_value * plot_height;
        y -= height;
        on.box({x + 3, y}, bar - 6, height, colour(is_stacked ? p : b));
      }
      if (is_stacked) on.text({x + bar / 2, top + plot_height + 16}, bar_names[b], anchor::middle, "font-size=\"9\"");
    }
  }
  double const width = std::max(520.0, left + plot + 24);
  double const legend_end = draw_legend(on, is_stacked ? part_names : bar_names, "", width, top + plot_height + below);
  double const height = draw_notes(on, texts.notes, legend_end);
  return on.document(width_for(width, texts.notes), height, texts.title, font_size);
}

}  // namespace skua::cli
