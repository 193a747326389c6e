// SPDX-License-Identifier: MIT
// Quickhull finds what the monotone chain finds, on random points and on awkward ones; the check notices damage.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "apps/hull/problem.hpp"
#include "skua/parts/base/dice.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/program/recorder.hpp"
#include "skua/program/serial.hpp"
#include "skua/skua.hpp"

namespace skua::apps::hull {
namespace {

std::vector<point> sorted(std::vector<point> points) {
  std::ranges::sort(points);
  return points;
}

/// n points on a grid of side x side: many are equal, many on one line.
std::vector<point> on_small_grid(std::size_t n, std::uint32_t side, runtime::dice& rolled) {
  std::vector<point> made(n);
  for (point& p : made) p = {rolled.below(side), rolled.below(side)};
  return made;
}

std::string wrong_serially(problem& p) {
  p.reset();
  serial here;
  program(here, p, {});
  return p.wrong();
}

TEST(hull, the_side_of_a_line_is_exact_at_the_ends_of_the_range) {
  point const corner{-radius, -radius};
  point const opposite{radius, radius};
  EXPECT_EQ(outside({corner, opposite}, {radius - 1, radius - 1}), 0);
  EXPECT_GT(outside({corner, opposite}, {radius, radius - 1}), 0);  // below the diagonal: on its right
  EXPECT_LT(outside({corner, opposite}, {radius - 1, radius}), 0);
  EXPECT_EQ(outside({corner, {radius, -radius}}, opposite), -wide{2 * radius} * (2 * radius));
}

TEST(hull, the_side_of_a_line_turns_with_the_line_and_with_the_triangle) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    runtime::dice rolled{seed};
    auto const p = on_small_grid(3, 5, rolled);
    wide const area = outside({p[0], p[1]}, p[2]);
    EXPECT_TRUE(outside({p[1], p[0]}, p[2]) == -area) << "seed " << seed;
    EXPECT_TRUE(outside({p[1], p[2]}, p[0]) == area) << "seed " << seed;
  }
}

TEST(hull, quickhull_finds_what_the_monotone_chain_finds) {
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    runtime::dice rolled{seed};
    std::size_t const n = 1 + rolled.below(400);
    std::uint32_t const side = 1 + rolled.below(seed % 2 == 0 ? 8 : 1000);
    std::size_t const leaf = 1 + rolled.below(50);
    problem p(on_small_grid(n, side, rolled), leaf);
    EXPECT_EQ(wrong_serially(p), "") << "seed " << seed << ", n " << n << ", grid " << side << ", leaf " << leaf;
  }
}

TEST(hull, equal_points_and_points_on_a_line) {
  for (std::size_t const leaf : {1U, 2U, 100U}) {
    problem same(std::vector<point>(77, {3, -4}), leaf);
    EXPECT_EQ(wrong_serially(same), "");
    EXPECT_EQ(same.vertices(), 1U);
    for (point const step : {point{1, 0}, point{0, 1}, point{3, -7}}) {
      std::vector<point> line;
      for (std::int64_t i = 0; i < 50; ++i) line.push_back({i * 13 % 50 * step.x, i * 13 % 50 * step.y});
      problem flat(line, leaf);
      EXPECT_EQ(wrong_serially(flat), "");
      EXPECT_EQ(flat.vertices(), 2U);
    }
  }
}

// All points are vertices, and each division takes away little more than one: the deepest tree.
TEST(hull, all_points_of_a_lopsided_curve_are_vertices) {
  std::vector<point> curve;
  for (int i = 0; i < 52; ++i) curve.push_back({i, std::int64_t{1} << i});
  for (std::size_t const leaf : {1U, 8U, 100U}) {
    problem p(curve, leaf);
    EXPECT_EQ(wrong_serially(p), "");
    EXPECT_EQ(p.vertices(), curve.size());
  }
}

TEST(hull, points_are_where_they_should_be) {
  auto const square = [](point const& p) { return wide{p.x} * p.x + wide{p.y} * p.y; };
  auto const disc = make_points(shape::in, 5000, 3);
  EXPECT_EQ(disc, make_points(shape::in, 5000, 3));
  EXPECT_NE(disc, make_points(shape::in, 5000, 4));
  std::map<std::pair<bool, bool>, int> quadrants;
  int near_the_centre = 0;
  for (point const& p : disc) {
    EXPECT_LE(square(p), wide{radius} * radius);
    ++quadrants[{p.x > 0, p.y > 0}];
    near_the_centre += square(p) < wide{radius} * radius / 4 ? 1 : 0;
  }
  for (auto const& [which, count] : quadrants) EXPECT_NEAR(count, 1250, 150);
  EXPECT_NEAR(near_the_centre, 1250, 150);  // half the radius, a quarter of the area
  for (point const& p : make_points(shape::on, 5000, 3)) {
    EXPECT_LE(square(p), wide{radius + 2} * (radius + 2));
    EXPECT_GE(square(p), wide{radius - 2} * (radius - 2));
  }
}

TEST(hull, nearly_all_points_of_a_circle_are_vertices_and_few_of_a_disc) {
  problem circle(make_points(shape::on, 20'000, 7), 1000);
  EXPECT_EQ(wrong_serially(circle), "");
  EXPECT_GT(circle.vertices(), 19'900U);
  problem disc(make_points(shape::in, 20'000, 7), 1000);
  EXPECT_EQ(wrong_serially(disc), "");
  EXPECT_LT(disc.vertices(), 300U);
}

TEST(hull, sifting_keeps_what_is_outside_and_names_the_farthest) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    runtime::dice rolled{seed};
    auto const points = sorted(on_small_grid(1 + rolled.below(200), 20, rolled));
    if (points.front() == points.back()) continue;
    edge const below{points.front(), points.back()};
    edge const above{below.to, below.from};
    std::vector<point> to(points.size());
    sifted const found = sift(points, below, above, to.data());
    auto const kept = [&](edge const& e) {
      std::vector<point> all;
      std::ranges::copy_if(points, std::back_inserter(all), [&](point const& p) { return outside(e, p) > 0; });
      return all;
    };
    EXPECT_EQ(sorted({to.begin(), to.begin() + static_cast<std::ptrdiff_t>(found.first)}), kept(below))
        << "seed " << seed;
    EXPECT_EQ(sorted({to.end() - static_cast<std::ptrdiff_t>(found.second), to.end()}), kept(above)) << "seed " << seed;
    for (point const& p : kept(below)) {
      wide const d = outside(below, p);
      EXPECT_TRUE(d < found.first_peak.distance || (d == found.first_peak.distance && p >= found.first_peak.at));
    }
  }
}

TEST(hull, every_kind_of_damage_is_noticed) {
  auto const points = sorted(make_points(shape::in, 2000, 11));
  auto const right = monotone_chain(points);
  ASSERT_EQ(flaw(right, points), "");
  ASSERT_GT(right.size(), 10U);
  EXPECT_NE(flaw({}, points), "");
  for (std::size_t i = 0; i < right.size(); ++i) {
    auto missing = right;
    missing.erase(missing.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_NE(flaw(missing, points), "") << i;
    auto moved = right;
    ++moved[i].x;
    EXPECT_NE(flaw(moved, points), "") << i;
    auto rotated = right;
    std::ranges::rotate(rotated, rotated.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_EQ(flaw(rotated, points) == "", i == 0);
  }
  auto clockwise = right;
  std::ranges::reverse(clockwise.begin() + 1, clockwise.end());
  EXPECT_NE(flaw(clockwise, points), "");
  auto twice = right;
  twice.insert(twice.end(), right.begin(), right.end());
  EXPECT_NE(flaw(twice, points), "");
  std::vector<point> const square{{0, 0}, {2, 0}, {2, 2}, {0, 2}};
  EXPECT_EQ(flaw(square, sorted({{0, 0}, {1, 0}, {2, 0}, {2, 2}, {0, 2}, {1, 1}})), "");
  std::vector<point> const with_edge_point{{0, 0}, {1, 0}, {2, 0}, {2, 2}, {0, 2}};
  EXPECT_NE(flaw(with_edge_point, sorted(with_edge_point)), "");
}

TEST(hull, a_wrong_answer_is_noticed) {
  problem p(make_points(shape::on, 500, 2), 50);
  EXPECT_EQ(p.wrong(), "hull: no run yet");
  EXPECT_EQ(wrong_serially(p), "");
  std::vector<point> answer(p.answer().begin(), p.answer().end());
  auto const write = [&] {
    p.reset();
    ASSERT_TRUE(p.blocks() > 0);
    for (std::size_t b = 0; b < p.blocks(); ++b) p.look_at_block(b);
    static_cast<void>(p.start());
    p.collect({std::span<point const>(answer).subspan(1)});
    for (std::size_t i = 0; i < p.runs(); ++i) p.write_run(i);
  };
  write();
  EXPECT_EQ(p.wrong(), "");
  std::swap(answer[7], answer[8]);
  write();
  EXPECT_EQ(p.wrong(), "hull: vertex 7 of 500 is not the right one");
  answer.pop_back();
  write();
  EXPECT_EQ(p.wrong(), "hull: 499 vertices; right are 500");
}

TEST(hull, every_pool_finds_it) {
  for (auto const where : {shape::in, shape::on}) {
    problem p(make_points(where, 50'000, 13), 700);
    for (std::uint32_t const workers : {1U, 3U}) {
      pool several({.workers = workers, .topology = "package:2 l3:1 core:2"});
      for (std::uint32_t const places : {0U, 1U, 2U, 5U}) {
        p.reset();
        several.run([&](auto& here) { program(here, p, {.first = 0, .count = places}); });
        EXPECT_EQ(p.wrong(), "") << workers << " workers, " << places << " places";
      }
    }
  }
}

TEST(hull, the_openmp_and_tbb_twins_find_it) {
  if (runtime::under_tsan) GTEST_SKIP() << "the OpenMP and oneTBB libraries are not instrumented";
  tbb_workers arenas;
  for (auto const where : {shape::in, shape::on}) {
    problem p(make_points(where, 50'000, 13), 700);
    for (unsigned const workers : {1U, 3U}) {
      p.reset();
      with_openmp(workers, p);
      EXPECT_EQ(p.wrong(), "");
      p.reset();
      with_tbb(arenas, workers, p);
      EXPECT_EQ(p.wrong(), "");
    }
  }
}

// The points outside the second edge go to the end, so that those of both caps stay with the places that get the caps.
TEST(hull, caps_lie_at_the_two_ends_of_the_memory_of_what_they_come_from) {
  auto points = make_points(shape::in, 10'000, 23);
  std::vector<point> scratch(points.size());
  auto const [left, right] = std::ranges::minmax(points);
  std::vector<point> to(points.size());
  division whole(points, to, scratch, {left, right}, {right, left}, 500);
  for (std::size_t b = 0; b < whole.blocks(); ++b) whole.sift_block(b);
  whole.settle();
  for (std::size_t b = 0; b < whole.blocks(); ++b) whole.move_block(b);
  EXPECT_EQ(whole.first().points.data(), to.data());
  EXPECT_EQ(whole.second().points.data() + whole.second().points.size(), to.data() + to.size());
  EXPECT_EQ(whole.second().scratch.data() + whole.second().scratch.size(), scratch.data() + scratch.size());
  EXPECT_EQ(whole.middle().front(), right);
  for (cap const& c : {whole.first(), whole.second()}) {
    EXPECT_GT(c.points.size(), 3'000U);
    for (point const& p : c.points) EXPECT_GT(outside(c.base, p), 0);
  }
}

// While several places are left to share, both caps have one; exactly the caps of its own name a place.
TEST(hull, caps_are_hinted_to_places_at_the_top_level_only) {
  problem p(make_points(shape::on, 20'000, 17), 200);
  for (std::uint32_t const places : {0U, 1U, 2U, 4U}) {
    p.reset();
    task_tree const tree = record([&](recorder& here) { program(here, p, {.first = 0, .count = places}); });
    std::map<std::uint32_t, std::size_t> hinted;
    for (tree_node_id id = 1; id < tree.size(); ++id) {
      if (tree[id].kind != tree_node_kind::task) continue;
      EXPECT_TRUE(tree[id].hints.work.has_value());
      if (auto const place = tree[id].hints.place) ++hinted[index(*place)];
    }
    EXPECT_EQ(hinted.size(), places < 2 ? 0 : places);
  }
}

}  // namespace
}  // namespace skua::apps::hull
