// SPDX-License-Identifier: MIT
// Texts stand out from their ground, and what has to be told apart is, also by people who see fewer colours.
#include "apps/picture/look.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>

#include "apps/picture/svg.hpp"

namespace skua::apps::look {
namespace {

using vec = std::array<double, 3>;
using matrix = std::array<vec, 3>;

vec times(matrix const& m, vec const& v) {
  vec product{};
  for (std::size_t r = 0; r < 3; ++r) product[r] = m[r][0] * v[0] + m[r][1] * v[1] + m[r][2] * v[2];
  return product;
}

vec linear(rgb colour) {
  vec light{};
  for (std::size_t i = 0; i < 3; ++i) {
    double const c = colour[i] / 255.0;
    light[i] = c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  }
  return light;
}

double luminance(rgb colour) {
  vec const l = linear(colour);
  return 0.2126 * l[0] + 0.7152 * l[1] + 0.0722 * l[2];
}

/// WCAG 2's contrast ratio, 1 to 21.
double contrast(rgb a, rgb b) {
  double const one = luminance(a);
  double const other = luminance(b);
  return (std::max(one, other) + 0.05) / (std::min(one, other) + 0.05);
}

/// CIE L*a*b*, D65, of linear sRGB.
vec lab(vec const& light) {
  matrix const to_xyz{{{0.4124, 0.3576, 0.1805}, {0.2126, 0.7152, 0.0722}, {0.0193, 0.1192, 0.9505}}};
  vec xyz = times(to_xyz, light);
  vec const white{0.9505, 1, 1.089};
  for (std::size_t i = 0; i < 3; ++i) {
    double const t = std::max(xyz[i], 0.0) / white[i];
    xyz[i] = t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116;
  }
  return {116 * xyz[1] - 16, 500 * (xyz[0] - xyz[1]), 200 * (xyz[1] - xyz[2])};
}

/// How people see: all colours, or without red, green or blue cones (Machado, Oliveira and Fernandes 2009, severity 1).
struct eyes {
  char const* name;
  matrix sees;
};
eyes const all_eyes[] = {
    {"all colours", {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}},
    {"protanopia",
     {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}}},
    {"deuteranopia",
     {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}}},
    {"tritanopia",
     {{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}}},
};

double distance(rgb a, rgb b, matrix const& sees) {
  vec const x = lab(times(sees, linear(a)));
  vec const y = lab(times(sees, linear(b)));
  return std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]);
}

void expect_told_apart(char const* what, std::span<rgb const> colours, double least) {
  for (eyes const& e : all_eyes) {
    for (std::size_t i = 0; i < colours.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        EXPECT_GE(distance(colours[i], colours[j], e.sees), least)
            << what << " " << j << " and " << i << ", " << e.name;
      }
    }
  }
}

TEST(look, texts_stand_out_from_the_ground) {
  for (paint const& text : {ink, soft}) {
    for (paint const& ground : {card, called("page")}) {
      EXPECT_GE(contrast(text.light, ground.light), 4.5) << text.name << " on " << ground.name;
      EXPECT_GE(contrast(text.dark, ground.dark), 4.5) << text.name << " on dark " << ground.name;
    }
  }
}

TEST(look, series_workers_and_activities_are_told_apart_by_all) {
  std::vector<rgb> light, dark, light_times, dark_times;
  for (paint const& p : series) {
    light.push_back(p.light);
    dark.push_back(p.dark);
  }
  for (paint const& p : {called("work"), called("scheduling"), called("idle"), called("asleep")}) {
    light_times.push_back(p.light);
    dark_times.push_back(p.dark);
  }
  expect_told_apart("series", light, 11);
  expect_told_apart("dark series", dark, 11);
  expect_told_apart("worker", few_workers, 11);
  expect_told_apart("activity", light_times, 11);
  expect_told_apart("dark activity", dark_times, 11);
}

TEST(look, paints_that_are_equal_on_light_ground_are_equal_on_dark_ground) {
  for (paint const& a : paints) {
    for (paint const& b : paints) {
      EXPECT_TRUE(a.light != b.light || a.dark == b.dark) << a.name << " and " << b.name;
    }
  }
}

TEST(look, many_workers_have_the_colours_of_viridis_and_all_differ) {
  EXPECT_EQ(worker_colour(0, 64), many_workers.front());
  EXPECT_EQ(worker_colour(63, 64), many_workers.back());
  EXPECT_EQ(worker_colour(8, 17), many_workers[4]);
  EXPECT_EQ(worker_colour(7, 8), few_workers[7]);
  EXPECT_EQ(worker_colour(0, 1), few_workers[0]);
  std::set<rgb> all;
  for (std::uint32_t w = 0; w < 64; ++w) EXPECT_TRUE(all.insert(worker_colour(w, 64)).second) << w;
}

TEST(look, css_has_every_paint_light_and_dark) {
  std::string const css = css_of_look();
  std::size_t const dark = css.find(":root[data-theme=\"dark\"]");
  ASSERT_NE(dark, std::string::npos);
  for (paint const& p : paints) {
    EXPECT_LT(css.find("--" + std::string{p.name} + ": " + hex_of(p.light) + ";"), dark) << p.name;
    EXPECT_NE(css.find("--" + std::string{p.name} + ": " + hex_of(p.dark) + ";", dark), std::string::npos) << p.name;
  }
  EXPECT_NE(css.find("--worker-7: " + hex_of(few_workers[7])), std::string::npos);
  EXPECT_NE(css.find("--worker-of-many-8: " + hex_of(many_workers[8])), std::string::npos);
  EXPECT_NE(css.find("--text-size: 12px;"), std::string::npos);
}

}  // namespace
}  // namespace skua::apps::look
