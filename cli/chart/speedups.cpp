// SPDX-License-Identifier: MIT
#include "cli/chart/speedups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "apps/picture/text.hpp"
#include "cli/chart/frame.hpp"

namespace skua::cli {
namespace {

using apps::svg;
namespace look = apps::look;

constexpr double least_height = 280;
constexpr double leader = 24;         // from the end of a line to its name
constexpr double widest_label = 186;  // with its number; a longer name is cut
constexpr double reach = 2;           // a bound up to so many times above the runs and the ideal is drawn
constexpr int wanted_ticks = 6;
constexpr std::string_view name_of_ideal = "ideal";

/// A line's name, and where the line ends.
struct end_label {
  svg::point end;
  std::string text;
  look::paint colour;
  std::optional<svg::form> form = {};  ///< that of its points
};

std::set<double> workers_of(std::vector<speedup_curve> const& curves) {
  std::set<double> all;
  for (speedup_curve const& c : curves) {
    for (speedup_point const& p : c.points) all.insert(p.workers);
  }
  return all;
}

/// The highest thing to draw.
double highest_of(std::vector<speedup_curve> const& curves, std::vector<speedup_bound> const& bounds, double ideal) {
  double high = ideal;
  for (speedup_curve const& c : curves) {
    for (speedup_point const& p : c.points) {
      for (double const value : {p.median, p.most}) high = std::isfinite(value) ? std::max(high, value) : high;
    }
  }
  double const of_runs = high;
  for (speedup_bound const& b : bounds) high = b.speedup <= reach * of_runs ? std::max(high, b.speedup) : high;
  return high;
}

/// "adws 27.4", "parallelism 53100", or a name that is cut, and its number.
std::string label_of(std::string_view name, double speedup) {
  bool const is_plain = speedup >= 1000 && speedup < 1e7;
  std::string const number = is_plain ? fmt::format(" {:.0f}", speedup) : fmt::format(" {:.3g}", speedup);
  return apps::fitted(name, widest_label - apps::text_width(number)) + number;
}

double widest_label_of(std::vector<speedup_curve> const& curves, std::vector<speedup_bound> const& bounds) {
  double widest = apps::text_width(name_of_ideal);
  for (speedup_bound const& b : bounds) widest = std::max(widest, apps::text_width(label_of(b.name, b.speedup)));
  for (speedup_curve const& c : curves) {
    for (speedup_point const& p : c.points) widest = std::max(widest, apps::text_width(label_of(c.name, p.median)));
  }
  return widest;
}

end_label draw_ideal(svg& on, plot_area const& p) {
  on.begin_group("ideal");
  svg::point const end{p.x(p.most), p.y(p.most)};
  on.line({p.x(0), p.y(0)}, end, look::soft, look::curve_width, look::ideal_dash);
  on.end_group();
  return {.end = end, .text = std::string{name_of_ideal}, .colour = look::soft};
}

end_label draw_bound(svg& on, plot_area const& p, speedup_bound const& b) {
  double const y = p.y(b.speedup);
  on.begin_group("bound");
  on.line({p.x0, y}, {p.x0 + p.width, y}, look::soft, look::curve_width, look::second_dash);
  on.end_group();
  return {.end = {p.x0 + p.width, y}, .text = label_of(b.name, b.speedup), .colour = look::soft};
}

std::optional<end_label> draw_reached(svg& on, plot_area const& p, std::size_t nth, speedup_curve const& c) {
  legend_entry const how = sample_of(nth, c.name);
  std::vector<svg::point> path;
  double last = 0;
  on.begin_group("curve");
  for (speedup_point const& at : c.points) {
    if (!std::isfinite(at.median)) continue;
    double const x = p.x(at.workers);
    if (std::isfinite(at.least) && at.least < at.most) on.line({x, p.y(at.most)}, {x, p.y(at.least)}, how.colour);
    path.push_back({x, p.y(at.median)});
    last = at.median;
  }
  draw_curve(on, path, how);
  on.end_group();
  if (path.empty()) return std::nullopt;
  return end_label{.end = path.back(), .text = label_of(c.name, last), .colour = how.colour, .form = how.form};
}

void draw_labels(svg& on, plot_area const& p, std::vector<end_label> labels) {
  std::ranges::stable_sort(labels, {}, [](end_label const& l) { return l.end.y; });
  std::vector<double> wanted;
  for (end_label const& l : labels) wanted.push_back(l.end.y);
  std::vector<double> const at = spread_out(wanted, chart_line, p.y0, p.y0 + p.height);
  double const x = p.x0 + p.width + leader;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    end_label const& l = labels[i];
    on.line(l.end, {x - 8, at[i]}, l.colour);
    if (l.form) on.dot({x - 8, at[i]}, l.colour, *l.form);
    on.text({x, at[i] + 4}, l.text);
  }
}

}  // namespace

std::vector<double> spread_out(std::vector<double> const& wanted, double gap, double first, double last) {
  // Without the gaps, neighbours must only not change places: the nearest such positions are means of those that would.
  struct block {
    double sum;
    std::size_t count;
    [[nodiscard]] double mean() const { return sum / static_cast<double>(count); }
  };
  std::vector<block> blocks;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    blocks.push_back({wanted[i] - static_cast<double>(i) * gap, 1});
    while (blocks.size() > 1 && blocks[blocks.size() - 2].mean() >= blocks.back().mean()) {
      block const joined = blocks.back();
      blocks.pop_back();
      blocks.back().sum += joined.sum;
      blocks.back().count += joined.count;
    }
  }
  double const end = last - (static_cast<double>(wanted.size()) - 1) * gap;
  std::vector<double> all;
  for (block const& b : blocks) {
    for (std::size_t i = 0; i < b.count; ++i)
      all.push_back(std::clamp(b.mean(), first, std::max(first, end)) + static_cast<double>(all.size()) * gap);
  }
  return all;
}

std::string speedup_chart(chart_texts texts, std::vector<speedup_curve> const& curves,
                          std::vector<speedup_bound> const& bounds) {
  std::set<double> const xs = workers_of(curves);
  plot_area p{.left = chart_margin / 2, .most = xs.empty() ? 1 : *xs.rbegin()};
  std::vector<double> const ticks = ticks_to(highest_of(curves, bounds, p.most), wanted_ticks);
  p.top_value = ticks.back();
  svg on;
  p.x0 = p.left + width_before_plot(ticks);
  p.width = chart_right - widest_label_of(curves, bounds) - leader - p.x0;
  p.y0 = draw_heading(on, texts);
  p.height = std::max(least_height, chart_line * static_cast<double>(1 + curves.size() + bounds.size()));
  draw_axes(on, p, texts, ticks, xs);
  std::vector<end_label> labels{draw_ideal(on, p)};
  for (speedup_bound const& b : bounds) {
    if (b.speedup > p.top_value) {
      texts.notes.push_back(label_of(b.name, b.speedup) + " lies above the picture");
    } else {
      labels.push_back(draw_bound(on, p, b));
    }
  }
  for (std::size_t i = 0; i < curves.size(); ++i) {
    if (auto label = draw_reached(on, p, i, curves[i])) labels.push_back(*std::move(label));
  }
  draw_labels(on, p, std::move(labels));
  return finished(on, texts, p.y0 + p.height + below_plot);
}

}  // namespace skua::cli
