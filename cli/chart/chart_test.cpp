// SPDX-License-Identifier: MIT
// Charts are well-formed, in the look of the pages, and no text of theirs covers another.
#include "cli/chart/chart.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <sstream>
#include <vector>

#include "apps/picture/svg.hpp"
#include "cli/chart/frame.hpp"
#include "cli/chart/readable_test.hpp"
#include "skua/parts/topology/xml_scanner.hpp"

namespace skua::cli { namespace {

std::string const long_text =
    "a statement that is longer than a picture is wide, which is why it takes two lines of it";

TEST(chart, no_text_of_curves_covers_another) {
  for (std::size_t const panels : {1U, 2U, 3U, 9U}) {
    for (double const most : {0.00017, 1.0, 64.0, 123456.0, 2.5e9}) {
      std::vector<chart_panel> all;
      for (std::size_t p = 0; p < panels; ++p) {
        chart_panel made{.title = p == 1 ? long_text : "N = 512", .curves = {}};
        for (std::size_t c = 0; c < 1 + 6 * p; ++c) {
          chart_curve curve{.name = fmt::format("ADWS, no steal {}", c), .points = {}};
          for (int x = 1; x <= 1024; x *= 2) curve.points.emplace_back(x, most / (1 + static_cast<double>(c)));
          made.curves.push_back(curve);
        }
        made.marks.push_back({0, 4, most});
        all.push_back(made);
      }
      std::ranges::reverse(all);
      for (bool const is_log : {false, true}) {
        SCOPED_TRACE(fmt::format("{} panels, {}, {}", panels, most, is_log));
        expect_readable(line_chart({.title = long_text,
                                    .subtitle = long_text,
                                    .x_label = "workers",
                                    .y_label = "speed-up",
                                    .mark_label = "ring: stated in the paper",
                                    .notes = {long_text, "short", long_text},
                                    .x_is_log = is_log},
                                   all));
      }
    }
  }
}

TEST(chart, no_text_of_bars_covers_another) {
  apps::look::paint const work = apps::look::called("work");
  apps::look::paint const idle = apps::look::called("idle");
  for (std::size_t const groups : {1U, 9U}) {
    for (double const most : {0.00017, 1.0, 64.0, 123456.0, 2.5e9}) {
      for (std::vector<chart_part> const& parts : {std::vector<chart_part>{}, {{"work", work}, {"idle", idle}}}) {
        std::vector<double> const bar(std::max<std::size_t>(parts.size(), 1), most / 3);
        std::vector<chart_group> all(groups, {.name = long_text, .bars = {bar, bar, bar}});
        SCOPED_TRACE(fmt::format("{} groups, {}, {} parts", groups, most, parts.size()));
        expect_readable(bar_chart({.title = long_text,
                                   .subtitle = "s",
                                   .x_label = "",
                                   .y_label = "time of all workers / T_1",
                                   .mark_label = "",
                                   .notes = {long_text}},
                                  {"random", long_text, "ARMS: product"}, parts, all));
      }
    }
  }
}

TEST(chart, no_text_of_columns_covers_another) {
  for (std::size_t const values : {1U, 2U, 7U, 33U, 100U, 236U, 2400U, 100'000U}) {
    for (double const most : {0.0, 0.00017, 1.0, 123456.0, 2.5e9}) {
      SCOPED_TRACE(fmt::format("{} values, {}", values, most));
      column_panel panel{.title = long_text, .values = std::vector<double>(values, most / 3)};
      panel.values[values / 2] = most;
      std::string const svg = column_chart({.title = long_text,
                                            .subtitle = long_text,
                                            .x_label = "rank",
                                            .y_label = "load (ms)",
                                            .mark_label = "mean load, 12.345 ms",
                                            .notes = {long_text}},
                                           {panel, panel, panel}, most / 2);
      expect_readable(svg);
      EXPECT_LT(svg.size(), 200'000U);
    }
  }
}

/// [x, y, width, height] of each box of this colour.
std::vector<std::array<double, 4>> boxes_of(std::string const& svg, apps::look::paint const& colour) {
  std::vector<std::array<double, 4>> all;
  runtime::xml_element const root = runtime::scan_xml(svg);
  for (runtime::xml_element const& e : root.children) {
    if (e.name != "rect" || e.attribute("fill") != apps::hex_of(colour.light)) continue;
    auto const number = [&e](char const* name) { return std::stod(std::string(e.attribute(name))); };
    all.push_back({number("x"), number("y"), number("width"), number("height")});
  }
  return all;
}

TEST(chart, columns_are_as_high_as_their_values_and_those_of_neighbours_have_their_mean_and_largest) {
  chart_texts const texts{.title = "t", .subtitle = "s", .x_label = "rank", .y_label = "y", .mark_label = "mean"};
  auto const few =
      boxes_of(column_chart(texts, {{"before", {4, 0, 2}}, {"after", {2, 2, 2}}}, 2), apps::look::series[0]);
  ASSERT_EQ(few.size(), 6U);
  EXPECT_DOUBLE_EQ(few[0][3], 2 * few[2][3]);
  EXPECT_DOUBLE_EQ(few[1][3], 0);
  for (std::size_t i = 2; i < 6; ++i) EXPECT_DOUBLE_EQ(few[i][3], few[2][3]) << i;
  for (std::size_t i = 1; i < 3; ++i) EXPECT_GT(few[i][0], few[i - 1][0] + few[i - 1][2]) << i;

  std::vector<double> values(100'000, 1.0);
  values[77'777] = 3;
  std::string const svg = column_chart(texts, {{"before", values}}, 1);
  auto const means = boxes_of(svg, apps::look::series[0]);
  auto const largest = boxes_of(svg, apps::look::series[1]);
  EXPECT_NE(svg.find(">mean of "), std::string::npos);
  EXPECT_EQ(means.size(), largest.size());
  EXPECT_GT(means.size(), 200U);
  EXPECT_LT(means.size(), 300U);
  // In the one column with the value 3, and in the legend.
  EXPECT_EQ(std::ranges::count_if(largest, [](auto const& box) { return box[3] > 0; }), 2);
}

TEST(chart, colours_are_those_of_the_pages_and_curves_differ_in_their_marks_too) {
  chart_panel panel{.title = "t", .curves = {}};
  for (int c = 0; c < 6; ++c) panel.curves.push_back({fmt::format("c{}", c), {{1, 1.0 + c}, {2, 2.0 + c}}});
  std::string const svg =
      line_chart({.title = "t", .subtitle = "s", .x_label = "x", .y_label = "y", .mark_label = ""}, {panel});
  for (std::size_t c = 0; c < 6; ++c) {
    EXPECT_NE(svg.find(fmt::format("<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"",
                                   apps::hex_of(apps::look::series[c].light), apps::look::curve_width)),
              std::string::npos)
        << c;
  }
  std::set<std::string> forms;
  runtime::xml_element const root = runtime::scan_xml(svg);
  for (runtime::xml_element const& e : root.children) {
    if (e.name == "circle" || e.name == "path") forms.insert(std::string(e.name));
    if (e.name != "polygon") continue;
    auto const points = std::string(e.attribute("points"));
    double const x = std::stod(points);
    double const y = std::stod(points.substr(points.find(',') + 1));
    // Relative to the first corner, so that equal forms are equal texts.
    std::string form;
    std::istringstream corners(points);
    for (std::string corner; corners >> corner;)
      form += fmt::format("{:.1f},{:.1f} ", std::stod(corner) - x, std::stod(corner.substr(corner.find(',') + 1)) - y);
    forms.insert(form);
  }
  EXPECT_EQ(forms.size(), 6U);
}

TEST(chart, ticks_begin_at_zero_reach_the_most_and_are_few) {
  for (double const most : {0.003, 0.7, 1.0, 9.99, 10.0, 64.0, 4085.0, 123456.0}) {
    std::vector<double> const t = ticks_to(most, 5);
    EXPECT_EQ(t.front(), 0);
    EXPECT_GE(t.back(), most * (1 - 1e-9));
    EXPECT_LE(t.size(), 8U) << most;
    EXPECT_GE(t.size(), 3U) << most;
  }
}

}}  // namespace skua::cli
