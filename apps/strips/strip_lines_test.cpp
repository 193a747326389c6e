// SPDX-License-Identifier: MIT
// What is written decodes to the triangles of the mesh, each once and in its direction.
#include "apps/strips/strip_lines.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "apps/strips/problem.hpp"
#include "skua/parts/base/dice.hpp"
#include "skua/program/serial.hpp"

namespace skua::apps::strips { namespace {

using many = std::vector<corners>;

/// The smallest vertex first: equal triangles of one direction are equal then.
many in_order(many all) {
  for (corners& c : all) std::ranges::rotate(c, std::ranges::min_element(c));
  std::ranges::sort(all);
  return all;
}

many decoded(std::string const& text) {
  many all;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::vector<vertex> indices;
    for (vertex v = 0; words >> v;) indices.push_back(v);
    for (corners const& c : triangles_of_line(indices)) all.push_back(c);
  }
  return all;
}

/// Those that are drawn.
many triangles_of(mesh const& m) {
  many all;
  for (triangle t = 0; t < m.triangles(); ++t) {
    corners const& c = m.corners_of(t);
    if (c[0] != c[1] && c[1] != c[2] && c[2] != c[0]) all.push_back(c);
  }
  return all;
}

std::string strips_of(mesh const& m) {
  serial here;
  result const r = program(here, m, {.interval = 64});
  EXPECT_EQ(wrong(m, r.next, r.counts.strips), "");
  return text_of_strips(m, r.next);
}

TEST(strip_lines, of_a_row_of_squares_is_one_line) {
  std::vector<corners> const row{{0, 1, 2}, {2, 1, 3}, {2, 3, 4}, {4, 3, 5}};
  EXPECT_EQ(indices_of_strip(row), (std::vector<vertex>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(triangles_of_line(indices_of_strip(row)), (many{{0, 1, 2}, {2, 1, 3}, {2, 3, 4}, {4, 3, 5}}));
}

TEST(strip_lines, of_a_fan_repeat_its_middle) {
  std::vector<corners> const fan{{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}};
  EXPECT_EQ(in_order(triangles_of_line(indices_of_strip(fan))), in_order(fan));
}

TEST(strip_lines, neighbours_of_opposite_directions_keep_theirs) {
  std::vector<corners> const mixed{{0, 1, 2}, {1, 2, 3}, {3, 2, 4}, {4, 3, 5}, {5, 3, 6}};
  EXPECT_EQ(in_order(triangles_of_line(indices_of_strip(mixed))), in_order(mixed));
}

TEST(strip_lines, decode_to_the_triangles_of_any_mesh) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    runtime::dice d{seed};
    triangle const n = 1 + d.below(600);
    std::vector<corners> some(n);
    vertex const vertices = 1 + d.below(n);
    for (corners& c : some) c = {d.below(vertices), d.below(vertices), d.below(vertices)};
    mesh const m = seed % 2 == 0 ? generated_surface(n, seed) : mesh(some);
    ASSERT_EQ(in_order(decoded(strips_of(m))), in_order(triangles_of(m)));
  }
}

}}  // namespace skua::apps::strips
