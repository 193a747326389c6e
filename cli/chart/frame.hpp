// SPDX-License-Identifier: MIT
// What charts of all kinds have: a heading, axes, a legend, notes.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/picture/svg.hpp"
#include "cli/chart/chart.hpp"

namespace skua::cli {

inline constexpr double chart_margin = 16;
inline constexpr double chart_line = 17;  ///< from one line of text to the next
inline constexpr double chart_right = apps::look::picture_width - chart_margin;

/// Title and subtitle. Returns where what follows may begin.
[[nodiscard]] double draw_heading(apps::svg& on, chart_texts const& texts);

struct legend_entry {
  enum class sample : std::uint8_t { line, box, ring, level };

  std::string name;
  apps::look::paint colour;
  sample shown = sample::box;
  apps::svg::form form = apps::svg::form::circle;
  std::string_view dash = "";
};

/// Of a curve: colours repeat after the eighth, marks of points after the sixth.
[[nodiscard]] legend_entry sample_of(std::size_t curve, std::string name);
/// Through these points, each of which has the mark of the sample.
void draw_curve(apps::svg& on, std::vector<apps::svg::point> const& points, legend_entry const& sample);

/// Entries in lines from `y` on, as many in each as have room. Returns where what follows may begin.
[[nodiscard]] double draw_legend(apps::svg& on, std::vector<legend_entry> const& entries, double y);

/// From 0 to `most` or above in steps of 1, 2 or 5 times a power of ten; about `wanted` of them.
[[nodiscard]] std::vector<double> ticks_to(double most, int wanted);

/// Where curves are, and how they turn values into pixels. y begins at 0.
struct plot_area {
  double left = 0;  ///< of its texts
  double x0 = 0;
  double y0 = 0;
  double width = 0;
  double height = 0;
  double least = 0;  ///< at the left end
  double most = 1;
  double top_value = 1;
  bool is_log = false;

  [[nodiscard]] double x(double value) const;
  [[nodiscard]] double y(double value) const { return y0 + height * (1 - value / top_value); }
};
inline constexpr double below_plot = 60;  ///< numbers and title of the x axis, and a gap
/// From the left of a plot's texts to its x0: the title of the y axis and its numbers.
[[nodiscard]] double width_before_plot(std::vector<double> const& y_ticks);
/// Numbers at these ticks and at those of `xs` that have room, the largest in any case.
void draw_axes(apps::svg& on, plot_area const& p, chart_texts const& texts, std::vector<double> const& y_ticks,
               std::set<double> const& xs);

/// The notes of a chart, and the end of it.
[[nodiscard]] std::string finished(apps::svg& on, chart_texts const& texts, double y);

/// The numbers of an axis, without those that would touch one that is there.
class axis_numbers {
 public:
  axis_numbers(apps::svg& on, double baseline) noexcept : on_(on), baseline_(baseline) {}

  void add(double x, double value);

 private:
  apps::svg& on_;
  double baseline_;
  std::vector<std::pair<double, double>> taken_;  ///< left and right of each, with the gap
};

}  // namespace skua::cli
