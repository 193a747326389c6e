// SPDX-License-Identifier: MIT
// Charts of bars, a row for each.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "apps/picture/text.hpp"
#include "cli/chart/chart.hpp"
#include "cli/chart/frame.hpp"

namespace skua::cli {
namespace {

using apps::svg;
using anchor = svg::anchor;
namespace look = apps::look;

constexpr double row = look::bar_height + 6;
constexpr double group_head = 24;
constexpr double beside = 8;         // between a bar and its texts
constexpr double widest_name = 190;  // a longer one is cut
constexpr double between_parts = 1;  // in the colour of the ground, for those who do not tell the colours apart

double sum_of(std::vector<double> const& parts) { return std::accumulate(parts.begin(), parts.end(), 0.0); }

std::string number(double value) { return fmt::format("{:.3g}", value); }

/// Where bars are, and how long.
struct scale {
  double left = 0;
  double width = 0;
  double top_value = 1;

  [[nodiscard]] double x(double value) const { return left + width * value / top_value; }
};

scale scale_for(std::vector<std::string> const& names, std::vector<chart_group> const& groups, double top_value) {
  double name = 0;
  for (std::string const& each : names) name = std::max(name, std::min(apps::text_width(each), widest_name));
  double value = 0;
  for (chart_group const& g : groups) {
    for (auto const& parts : g.bars) value = std::max(value, apps::text_width(number(sum_of(parts))));
  }
  double const left = chart_margin + name + beside;
  return {.left = left, .width = chart_right - value - beside - left, .top_value = top_value};
}

void draw_bar(svg& on, scale const& s, std::vector<double> const& values, std::vector<look::paint> const& colours,
              double top) {
  double before = 0;
  for (std::size_t p = 0; p < values.size(); ++p) {
    double const from = s.x(before);
    before += values[p];
    double const gap = p + 1 < values.size() ? between_parts : 0;
    on.box({from, top}, std::max(s.x(before) - from - gap, 0.0), look::bar_height, colours[p % colours.size()]);
  }
}

void draw_axis(svg& on, scale const& s, std::vector<double> const& ticks, std::string_view label, double top,
               double bottom) {
  axis_numbers numbers(on, bottom + 18);
  for (double const t : ticks) {
    on.line({s.x(t), top}, {s.x(t), bottom + look::tick_length}, look::line);
    numbers.add(s.x(t), t);
  }
  on.text({s.left + s.width / 2, bottom + 34}, label, anchor::middle, {.colour = look::soft});
}

double height_of(std::vector<chart_group> const& groups) {
  double height = 0;
  for (chart_group const& g : groups) height += group_head + row * static_cast<double>(g.bars.size());
  return height;
}

}  // namespace

std::string bar_chart(chart_texts const& texts, std::vector<std::string> const& bar_names,
                      std::vector<chart_part> const& parts, std::vector<chart_group> const& groups) {
  double most = 0;
  for (chart_group const& g : groups) {
    for (auto const& each : g.bars) most = std::max(most, sum_of(each));
  }
  std::vector<double> const ticks = ticks_to(most, 5);
  scale const s = scale_for(bar_names, groups, ticks.back());
  std::vector<look::paint> of_parts;
  std::vector<legend_entry> legend;
  for (chart_part const& p : parts) {
    of_parts.push_back(p.colour);
    legend.push_back({.name = p.name, .colour = p.colour});
  }
  svg on;
  double y = draw_heading(on, texts);
  double const bottom = y + height_of(groups);
  draw_axis(on, s, ticks, texts.y_label, y, bottom);
  for (chart_group const& g : groups) {
    on.text({chart_margin, y + group_head - 9}, apps::fitted(g.name, chart_right - chart_margin, look::text_size, true),
            anchor::start, {.bold = true});
    y += group_head;
    for (std::size_t b = 0; b < g.bars.size(); ++b, y += row) {
      double const baseline = y + look::bar_height - 3;
      on.text({s.left - beside, baseline}, apps::fitted(bar_names[b], widest_name), anchor::end);
      draw_bar(on, s, g.bars[b], parts.empty() ? std::vector{look::series[b % look::series.size()]} : of_parts, y);
      on.text({chart_right, baseline}, number(sum_of(g.bars[b])), anchor::end);
    }
  }
  return finished(on, texts, draw_legend(on, legend, bottom + 60));
}

}  // namespace skua::cli
