// SPDX-License-Identifier: MIT
// Pictures of speed-ups: every line has its name at its end, and none of them covers another.
#include "cli/chart/speedups.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <random>
#include <set>
#include <sstream>

#include "cli/chart/readable_test.hpp"

namespace skua::cli {
namespace {

chart_texts const texts{.title = "sph: how far it scales",
                        .subtitle = "simulated",
                        .x_label = "workers",
                        .y_label = "simulated speed-up over the serial elision",
                        .mark_label = ""};

/// Every run reaches this share of the ideal.
speedup_curve curve_of(std::string name, std::vector<std::uint32_t> const& workers, double share) {
  speedup_curve made{.name = std::move(name), .points = {}};
  for (std::uint32_t const w : workers) {
    double const reached = share * w;
    made.points.push_back({.workers = w, .median = reached, .least = reached, .most = reached});
  }
  return made;
}

std::vector<std::string> words_of(std::string const& svg) {
  std::vector<std::string> all;
  for (placed const& t : texts_in(svg)) all.push_back(t.text);
  return all;
}

bool says(std::string const& svg, std::string_view words) {
  std::vector<std::string> const all = words_of(svg);
  return std::ranges::find(all, words) != all.end();
}

/// The elements in groups of this class: views of the picture.
std::vector<runtime::xml_element> drawn(runtime::xml_element const& root, std::string_view of_class) {
  std::vector<runtime::xml_element> all;
  for (runtime::xml_element const& g : root.children) {
    if (g.name == "g" && g.attribute("class") == of_class) all.insert(all.end(), g.children.begin(), g.children.end());
  }
  return all;
}

double number_of(runtime::xml_element const& e, char const* name) { return std::stod(std::string(e.attribute(name))); }

TEST(speedups, every_line_has_its_name_at_its_end) {
  std::string const svg =
      speedup_chart(texts, {curve_of("random", {1, 2, 4, 8}, 0.5), curve_of("adws", {1, 2, 4, 8}, 0.9)},
                    {{"parallelism", 12}, {"burdened parallelism", 6}});
  expect_readable(svg);
  for (char const* name : {"ideal", "random 4", "adws 7.2", "parallelism 12", "burdened parallelism 6", "workers", "8"})
    EXPECT_TRUE(says(svg, name)) << name;
  runtime::xml_element const root = runtime::scan_xml(svg);
  EXPECT_EQ(drawn(root, "ideal").size(), 1U);
  EXPECT_EQ(drawn(root, "bound").size(), 2U);
  EXPECT_EQ(drawn(root, "curve").size(), 2U * (1 + 4)) << "a line and its points";
}

TEST(speedups, lines_stand_where_their_values_are) {
  std::string const svg = speedup_chart(texts, {curve_of("adws", {1, 2, 4, 8}, 1)}, {{"parallelism", 8}});
  runtime::xml_element const root = runtime::scan_xml(svg);
  auto const ideal = drawn(root, "ideal").at(0);
  auto const bound = drawn(root, "bound").at(0);
  EXPECT_EQ(bound.attribute("y1"), bound.attribute("y2"));
  EXPECT_EQ(bound.attribute("y2"), ideal.attribute("y2")) << "the ideal with 8 workers is 8, too";
  // A program that reaches the ideal lies on it.
  std::istringstream corners(std::string(drawn(root, "curve").at(0).attribute("points")));
  for (double const workers : {1.0, 2.0, 4.0, 8.0}) {
    double x = 0, y = 0;
    char comma = 0;
    corners >> x >> comma >> y;
    EXPECT_NEAR(x, std::lerp(number_of(ideal, "x1"), number_of(ideal, "x2"), workers / 8), 0.02);
    EXPECT_NEAR(y, std::lerp(number_of(ideal, "y1"), number_of(ideal, "y2"), workers / 8), 0.02);
  }
}

TEST(speedups, a_bound_far_away_is_said_and_not_drawn) {
  std::string const svg = speedup_chart(texts, {curve_of("random", {1, 2, 4}, 0.9)},
                                        {{"parallelism", 53100}, {"burdened parallelism", 0.01}});
  EXPECT_TRUE(says(svg, "parallelism 53100 lies above the picture"));
  EXPECT_TRUE(says(svg, "burdened parallelism 0.01"));
  EXPECT_EQ(drawn(runtime::scan_xml(svg), "bound").size(), 1U);
  EXPECT_FALSE(says(svg, "60000")) << "it would crush the curves";
}

TEST(speedups, a_long_name_is_cut_and_its_number_is_not) {
  std::string const svg = speedup_chart(texts, {curve_of("numa-ws:threshold=2,bias=4,no-pushes", {64}, 0.5)}, {});
  std::vector<std::string> const all = words_of(svg);
  EXPECT_TRUE(std::ranges::any_of(
      all, [](std::string const& t) { return t.starts_with("numa-ws:thr") && t.ends_with("\u2026 32"); }));
}

TEST(speedups, a_stroke_shows_how_runs_with_several_seeds_differ) {
  speedup_curve const even{.name = "even", .points = {{1, 1, 1, 1}, {2, 2, 2, 2}}};
  speedup_curve const uneven{.name = "uneven", .points = {{1, 1, 1, 1}, {2, 1.5, 1, 2}}};
  auto const strokes = [](std::string const& svg) {
    std::vector<runtime::xml_element> all = drawn(runtime::scan_xml(svg), "curve");
    std::erase_if(all, [](runtime::xml_element const& e) { return e.name != "line"; });
    return all;
  };
  EXPECT_TRUE(strokes(speedup_chart(texts, {even}, {})).empty());
  std::string const svg = speedup_chart(texts, {uneven}, {});
  auto const found = strokes(svg);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].attribute("x1"), found[0].attribute("x2"));
}

TEST(speedups, curves_are_told_apart_without_colours) {
  std::vector<speedup_curve> curves;
  for (int c = 0; c < 6; ++c) curves.push_back(curve_of(fmt::format("c{}", c), {1, 2}, 1 - 0.1 * c));
  std::string const svg = speedup_chart(texts, curves, {});
  runtime::xml_element const root = runtime::scan_xml(svg);
  std::set<std::string> marks;
  for (runtime::xml_element const& g : root.children) {
    if (g.name != "g" || g.attribute("class") != "curve") continue;
    runtime::xml_element const& mark = g.children.at(1);
    std::istringstream corners(std::string(mark.attribute("points")));
    marks.insert(fmt::format("{} {}", mark.name, std::distance(std::istream_iterator<std::string>(corners), {})));
  }
  // circle, square and diamond (4 corners), both triangles (3), cross
  EXPECT_EQ(marks.size(), 4U);
}

TEST(speedups, no_text_covers_another_and_none_leaves_the_picture) {
  constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::uint32_t> const many{1, 2, 4, 8, 16, 32, 48, 64, 96, 128, 160, 192, 1024, 163840};
  for (std::vector<std::uint32_t> const& workers :
       {std::vector<std::uint32_t>{}, {1}, {64}, {1, 2}, {48, 64, 96, 128}, many}) {
    for (std::size_t const policies : {0U, 1U, 4U, 25U}) {
      for (double const share : {0.9, 0.001, 3.0, 0.0, nothing}) {
        for (double const parallelism : {0.001, 1.0, 130.0, 5e9}) {
          SCOPED_TRACE(fmt::format("{} numbers of workers, {} policies, {} of the ideal, parallelism {}",
                                   workers.size(), policies, share, parallelism));
          std::vector<speedup_curve> curves;
          for (std::size_t p = 0; p < policies; ++p)
            curves.push_back(curve_of(fmt::format("numa-ws:threshold=2,bias={},no-pushes", p), workers, share));
          expect_readable(
              speedup_chart(texts, curves, {{"parallelism", parallelism}, {"burdened parallelism", parallelism}}));
        }
      }
    }
  }
}

TEST(speedups, names_stand_near_their_lines_and_apart) {
  EXPECT_TRUE(spread_out({}, 10, 0, 100).empty());
  EXPECT_EQ(spread_out({5, 50, 90}, 10, 0, 100), (std::vector<double>{5, 50, 90}));
  EXPECT_EQ(spread_out({50, 50, 50}, 10, 0, 100), (std::vector<double>{40, 50, 60}));
  EXPECT_EQ(spread_out({0, 0, 50}, 10, 0, 100), (std::vector<double>{0, 10, 50}));
  EXPECT_EQ(spread_out({99, 100}, 10, 0, 100), (std::vector<double>{90, 100}));
  EXPECT_EQ(spread_out({-20, 120}, 10, 0, 100), (std::vector<double>{0, 100}));
}

TEST(speedups, random_names_stay_in_order_apart_and_inside) {
  unsigned const seed = std::random_device{}();
  SCOPED_TRACE(fmt::format("seed {}", seed));
  std::mt19937 dice(seed);
  for (int round = 0; round < 1000; ++round) {
    std::vector<double> wanted(1 + dice() % 10);
    for (double& w : wanted) w = static_cast<double>(dice() % 120) - 10;
    std::ranges::sort(wanted);
    std::vector<double> const at = spread_out(wanted, 10, 0, 100);
    ASSERT_EQ(at.size(), wanted.size());
    EXPECT_GE(at.front(), -1e-9);
    EXPECT_LE(at.back(), 100 + 1e-9);
    for (std::size_t i = 1; i < at.size(); ++i) EXPECT_GE(at[i] - at[i - 1], 10 - 1e-9);
  }
}

}  // namespace
}  // namespace skua::cli
