// SPDX-License-Identifier: MIT
// Charts are well-formed, in the look of the pages, and no text of theirs covers another.
#include "cli/chart/chart.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "apps/picture/svg.hpp"
#include "cli/chart/frame.hpp"
#include "cli/chart/readable_test.hpp"
#include "skua/parts/topology/xml_scanner.hpp"

namespace skua::cli {
namespace {

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

}  // namespace
}  // namespace skua::cli
