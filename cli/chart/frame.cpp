// SPDX-License-Identifier: MIT
#include "cli/chart/frame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "apps/picture/text.hpp"

namespace skua::cli {
namespace {

using apps::svg;
using anchor = svg::anchor;
namespace look = apps::look;

constexpr double text_line = chart_right - chart_margin;  ///< the longest
constexpr double ascent = 12;
constexpr double sample_width = 20;
constexpr double before_name = 6;
constexpr double between_entries = 16;
constexpr double box_side = 12;  // that of the pages' legends
constexpr std::array dashes{std::string_view{}, look::second_dash, look::third_dash};

void draw_sample(svg& on, legend_entry const& e, double x, double y) {
  double const middle = y - 4;
  switch (e.shown) {
    case legend_entry::sample::box: on.box({x, middle - box_side / 2}, box_side, box_side, e.colour); break;
    case legend_entry::sample::ring: on.ring({x + sample_width / 2, middle}, e.colour); break;
    case legend_entry::sample::line:
      on.line({x, middle}, {x + sample_width, middle}, e.colour, look::curve_width, e.dash);
      on.dot({x + sample_width / 2, middle}, e.colour, e.form);
      break;
  }
}

}  // namespace

double draw_heading(svg& on, chart_texts const& texts) {
  svg::point next{chart_margin, chart_margin + ascent};
  next = on.paragraph(next, texts.title, text_line, {.bold = true, .size = look::heading_size});
  return on.paragraph(next, texts.subtitle, text_line, {.colour = look::soft}).y + 6;
}

legend_entry sample_of(std::size_t curve, std::string name) {
  return {.name = std::move(name),
          .colour = look::series[curve % look::series.size()],
          .shown = legend_entry::sample::line,
          .form = static_cast<svg::form>(curve % (static_cast<std::size_t>(svg::form::cross) + 1)),
          .dash = dashes[curve / look::series.size() % dashes.size()]};
}

void draw_curve(svg& on, std::vector<svg::point> const& points, legend_entry const& sample) {
  on.curve(points, sample.colour, sample.dash);
  for (svg::point const& at : points) on.dot(at, sample.colour, sample.form);
}

double draw_legend(svg& on, std::vector<legend_entry> const& entries, double y) {
  if (entries.empty()) return y;
  double x = chart_margin;
  for (legend_entry const& e : entries) {
    std::string const name = apps::fitted(e.name, text_line - sample_width - before_name);
    double const sample = e.shown == legend_entry::sample::box ? box_side : sample_width;
    double const width = sample + before_name + apps::text_width(name);
    if (x > chart_margin && x + width > chart_right) {
      x = chart_margin;
      y += chart_line;
    }
    draw_sample(on, e, x, y);
    on.text({x + sample + before_name, y}, name, anchor::start, {.colour = look::soft});
    x += width + between_entries;
  }
  return y + chart_line;
}

std::string finished(svg& on, chart_texts const& texts, double y) {
  svg::point next{chart_margin, y + 4};
  for (std::string const& note : texts.notes) next = on.paragraph(next, note, text_line, {.colour = look::soft});
  return on.document(look::picture_width, next.y, texts.title);
}

void axis_numbers::add(double x, double value) {
  constexpr double gap = 6;
  std::string const text = fmt::format("{:g}", value);
  double const half = apps::text_width(text) / 2;
  if (std::ranges::any_of(taken_, [&](auto const& t) { return x - half < t.second && t.first < x + half; })) return;
  on_.text({x, baseline_}, text, anchor::middle, {.colour = look::soft});
  taken_.emplace_back(x - half - gap, x + half + gap);
}

}  // namespace skua::cli
