// SPDX-License-Identifier: MIT
#include "cli/experiment/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>

namespace skua::cli {
namespace {

// Okabe and Ito's colours, which colour-blind people can tell apart, and black.
constexpr std::array<std::string_view, 8> colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                  "#e69f00", "#56b4e9", "#000000", "#7f7f00"};
constexpr double plot_width = 300;
constexpr double plot_height = 220;
constexpr double left = 62;
constexpr double top = 74;
constexpr double gap = 84;
constexpr double below = 62;
constexpr double legend_line = 18;
constexpr std::size_t panels_in_a_row = 3;
constexpr double row_height = plot_height + 84;

std::string_view colour(std::size_t i) { return colours[i % colours.size()]; }

std::string escaped(std::string_view text) {
  std::string safe;
  for (char const c : text) {
    switch (c) {
      case '&': safe += "&amp;"; break;
      case '<': safe += "&lt;"; break;
      case '>': safe += "&gt;"; break;
      case '"': safe += "&quot;"; break;
      default: safe += c;
    }
  }
  return safe;
}

/// SVG under way. Coordinates are pixels from the top left corner.
class drawing {
 public:
  void text(double x, double y, std::string_view what, std::string_view anchor = "middle", std::string_view more = "") {
    body_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}{}>{}</text>\n", x, y, anchor,
                         more.empty() ? "" : " ", more, escaped(what));
  }
  void line(double x1, double y1, double x2, double y2, std::string_view ink) {
    body_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n", x1, y1, x2,
                         y2, ink);
  }
  void box(double x, double y, double width, double height, std::string_view ink) {
    body_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n", x, y,
                         width, height, ink);
  }
  void dot(double x, double y, std::string_view ink) {
    body_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.6\" fill=\"{}\"/>\n", x, y, ink);
  }
  void ring(double x, double y, std::string_view ink) {
    body_ += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"6\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n", x, y, ink);
  }
  void curve(std::string const& points, std::string_view ink) {
    body_ += fmt::format("<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\" points=\"{}\"/>\n", ink, points);
  }
  [[nodiscard]] std::string finish(double width, double height) const {
    return fmt::format(
               "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
               "width=\"{0:.0f}\" "
               "height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"sans-serif\" font-size=\"12\">\n"
               "<rect width=\"{0:.0f}\" height=\"{1:.0f}\" fill=\"white\"/>\n",
               width, height) +
           body_ + "</svg>\n";
  }

 private:
  std::string body_;
};

/// From values to pixels, in a frame with this top left corner.
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

void draw_words(drawing& on, chart_words const& words) {
  on.text(left, 20, words.title, "start", "font-size=\"15\" font-weight=\"bold\"");
  on.text(left, 38, words.subtitle, "start", "fill=\"#444444\"");
}

/// The frame, and the ticks of y. Returns the value at the top.
double draw_y(drawing& on, scale const& s, double width, double most, std::string_view label) {
  double const x0 = s.x0;
  std::vector<double> const ticks = ticks_to(most, 5);
  double const top_value = ticks.back();
  for (double const t : ticks) {
    double const y = s.y0 + plot_height * (1 - t / top_value);
    on.line(x0, y, x0 + width, y, t == 0 ? "#000000" : "#dddddd");
    on.text(x0 - 6, y + 4, fmt::format("{:g}", t), "end");
  }
  on.line(x0, s.y0, x0, s.y0 + plot_height, "#000000");
  double const middle = s.y0 + plot_height / 2;
  on.text(x0 - 44, middle, label, "middle", fmt::format("transform=\"rotate(-90 {:.1f} {:.1f})\"", x0 - 44, middle));
  return top_value;
}

void draw_x(drawing& on, scale const& s, std::set<double> const& xs, std::string_view label) {
  double last = -1e9;
  for (double const x : xs) {
    double const at = s.x(x);
    on.line(at, s.y0 + plot_height, at, s.y0 + plot_height + 4, "#000000");
    if (at - last < 20) continue;  // too near to be read
    on.text(at, s.y0 + plot_height + 18, fmt::format("{:g}", x));
    last = at;
  }
  on.text(s.x0 + plot_width / 2, s.y0 + plot_height + 34, label);
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

void draw_panel(drawing& on, chart_words const& words, chart_panel const& p, scale s) {
  std::set<double> const xs = xs_of(p);
  s.is_log = words.x_is_log;
  s.top_value = draw_y(on, s, plot_width, most_of(p), words.y_label);
  if (xs.empty()) return;
  s.least = *xs.begin();
  s.most = *xs.rbegin();
  draw_x(on, s, xs, words.x_label);
  on.text(s.x0 + plot_width / 2, s.y0 - 10, p.title, "middle", "font-weight=\"bold\"");
  for (std::size_t i = 0; i < p.curves.size(); ++i) {
    std::string path;
    for (auto const& [x, y] : p.curves[i].points) {
      if (!std::isfinite(y)) continue;
      path += fmt::format("{}{:.1f},{:.1f}", path.empty() ? "" : " ", s.x(x), s.y(y));
      on.dot(s.x(x), s.y(y), colour(i));
    }
    on.curve(path, colour(i));
  }
  for (chart_mark const& m : p.marks) on.ring(s.x(m.x), s.y(m.y), colour(m.curve));
}

/// A legend in two columns; returns the height of the whole picture.
double draw_legend(drawing& on, std::vector<std::string> const& names, std::string const& mark_label, double width,
                   double y) {
  double const column = std::max(180.0, (width - left) / 2);
  for (std::size_t i = 0; i < names.size(); ++i) {
    double const x = left + (i % 2 == 0 ? 0 : column);
    if (i > 0 && i % 2 == 0) y += legend_line;
    on.box(x, y - 8, 20, 6, colour(i));
    on.text(x + 26, y, names[i], "start");
  }
  if (!mark_label.empty()) {
    y += legend_line;
    on.ring(left + 10, y - 4, "#444444");
    on.text(left + 26, y, mark_label, "start");
  }
  return y + legend_line;
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

std::string line_chart(chart_words const& words, std::vector<chart_panel> const& panels) {
  drawing on;
  draw_words(on, words);
  bool marked = false;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    auto const column = static_cast<double>(i % panels_in_a_row);
    auto const row = static_cast<double>(i / panels_in_a_row);
    draw_panel(on, words, panels[i], {.x0 = left + column * (plot_width + gap), .y0 = top + row * row_height});
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
  return on.finish(width, draw_legend(on, names, marked ? words.mark_label : "", width, y));
}

std::string bar_chart(chart_words const& words, std::vector<std::string> const& bar_names,
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
  drawing on;
  draw_words(on, words);
  double const top_value = draw_y(on, scale{}, plot, most, words.y_label);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    double const x0 = left + group * static_cast<double>(g) + 12;
    on.text(x0 + group / 2 - 12, top + plot_height + 34, groups[g].name);
    for (std::size_t b = 0; b < groups[g].bars.size(); ++b) {
      double const x = x0 + bar * static_cast<double>(b);
      double y = top + plot_height;
      for (std::size_t p = 0; p < groups[g].bars[b].size(); ++p) {
        double const height = groups[g].bars[b][p] / top_value * plot_height;
        y -= height;
        on.box(x + 3, y, bar - 6, height, colour(is_stacked ? p : b));
      }
      if (is_stacked) on.text(x + bar / 2, top + plot_height + 16, bar_names[b], "middle", "font-size=\"9\"");
    }
  }
  double const width = std::max(520.0, left + plot + 24);
  double const height = draw_legend(on, is_stacked ? part_names : bar_names, "", width, top + plot_height + below);
  return on.finish(width, height);
}

}  // namespace skua::cli
