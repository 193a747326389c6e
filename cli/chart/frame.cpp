// SPDX-License-Identifier: MIT
#include "cli/chart/frame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ranges>

#include "apps/picture/text.hpp"

namespace skua::cli {
namespace {

using apps::svg;
using anchor = svg::anchor;
namespace look = apps::look;

constexpr double text_line = chart_right - chart_margin;  ///< the longest
constexpr double ascent = 12;
constexpr double after_number = look::tick_length + 4;
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
    case legend_entry::sample::level:
      on.line({x, middle}, {x + sample_width, middle}, e.colour, look::curve_width, e.dash);
      break;
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

double plot_area::x(double value) const {
  constexpr double inside = 8;  // between the frame and the first and last point
  auto const at = [this](double v) { return is_log ? std::log2(v) : v; };
  double const share = most > least ? (at(value) - at(least)) / (at(most) - at(least)) : 0.5;
  return x0 + inside + share * (width - 2 * inside);
}

double width_before_plot(std::vector<double> const& y_ticks) {
  constexpr double before_number = 8;
  double widest = 0;
  for (double const t : y_ticks) widest = std::max(widest, apps::text_width(fmt::format("{:g}", t)));
  return ascent + before_number + widest + after_number;
}

void draw_axes(svg& on, plot_area const& p, chart_texts const& texts, std::vector<double> const& y_ticks,
               std::set<double> const& xs) {
  for (double const t : y_ticks) {
    on.line({p.x0 - look::tick_length, p.y(t)}, {p.x0 + p.width, p.y(t)}, look::line);
    on.text({p.x0 - after_number, p.y(t) + 4}, fmt::format("{:g}", t), anchor::end, {.colour = look::soft});
  }
  on.text({p.left + ascent, p.y0 + p.height / 2}, apps::fitted(texts.y_label, p.height), anchor::middle,
          {.colour = look::soft, .turned = -90});
  if (xs.empty()) return;
  double const bottom = p.y0 + p.height;
  axis_numbers numbers(on, bottom + 18);
  for (double const x : xs | std::views::reverse) {
    on.line({p.x(x), bottom}, {p.x(x), bottom + look::tick_length}, look::line);
    numbers.add(p.x(x), x);
  }
  on.text({p.x0 + p.width / 2, bottom + 34}, apps::fitted(texts.x_label, p.width), anchor::middle,
          {.colour = look::soft});
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
