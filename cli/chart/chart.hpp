// SPDX-License-Identifier: MIT
// Charts of curves and of bars as SVG, in the look of the pages (apps/picture/look.hpp). The same data give the same bytes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "apps/picture/look.hpp"

namespace skua::cli {

struct chart_curve {
  std::string name;
  std::vector<std::pair<double, double>> points;  ///< x ascending
};

/// A single figure from elsewhere, drawn as a ring in the colour of its curve.
struct chart_mark {
  std::size_t curve = 0;
  double x = 0;
  double y = 0;
};

struct chart_panel {
  std::string title;
  std::vector<chart_curve> curves;
  std::vector<chart_mark> marks = {};
};

struct chart_texts {
  std::string title;
  std::string subtitle;
  std::string x_label;
  std::string y_label;
  std::string mark_label;               ///< the meaning of rings, for the legend
  std::vector<std::string> notes = {};  ///< below the legend
  bool x_is_log = false;                ///< x > 0
};

/// Two panels side by side, y from 0, one legend. Points that are not finite are left out.
[[nodiscard]] std::string line_chart(chart_texts const& texts, std::vector<chart_panel> const& panels);

/// Values of neighbours from 0 on, such as loads of ranks.
struct column_panel {
  std::string title;
  std::vector<double> values;  ///< none negative; as many in each panel
};

/// Panels below each other with the same axes: a column per value or, where there are more than have room, per equally many neighbours, up to their
/// mean and above it up to their largest. A dashed line in each panel stands at `level`, whose meaning is the mark's label.
[[nodiscard]] std::string column_chart(chart_texts const& texts, std::vector<column_panel> const& panels, double level);

/// The bars of a group are below each other, the parts of a bar behind each other.
struct chart_group {
  std::string name;
  std::vector<std::vector<double>> bars;  ///< [bar][part], none negative
};

struct chart_part {
  std::string name;
  apps::look::paint colour;
};

/// Names stand to the left of their bars, sums to the right. With several parts they are in the legend; otherwise each of
/// `bar_names` has a colour of its own. The axis of values is that of `y_label`.
[[nodiscard]] std::string bar_chart(chart_texts const& texts, std::vector<std::string> const& bar_names,
                                    std::vector<chart_part> const& parts, std::vector<chart_group> const& groups);

}  // namespace skua::cli
