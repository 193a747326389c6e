// SPDX-License-Identifier: MIT
#include "skua/policy/adws/worker_line.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "skua/parts/base/dice.hpp"
#include "skua/policy/adws/adws.hpp"
#include "skua/policy/adws/script_for_test.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace adws { namespace {

layout of_speeds(std::string const& list, std::uint32_t cores) {
  return layout(topology::synthetic("l3:1 core:" + std::to_string(cores) + "(speed=" + list + ")"));
}

/// 1 to 40 workers with speeds from 1 to 8, or with one speed.
layout random_layout(runtime::dice& roll) {
  std::uint32_t const cores = 1 + roll.below(40);
  std::uint32_t const kinds = 1 + roll.below(3);
  std::string list;
  for (std::uint32_t c = 0; c < cores; ++c) list += (c == 0 ? "" : ",") + std::to_string(1 + roll.below(kinds) * 3.5);
  return of_speeds(list, cores);
}

TEST(worker_line, a_cut_leaves_each_side_the_speed_that_its_work_asks_for) {
  worker_line const line(of_speeds("4x1,4x0.5", 8), true);  // worker k is [k, k+1]; the fast ones are 0 to 3
  EXPECT_FALSE(line.is_even());
  range const all{.right = 0, .left = 8};
  EXPECT_EQ(line.speed_of(all), 6);
  EXPECT_EQ(line.cut(all, 1, 3), 4) << "the slow ones do a third";
  EXPECT_EQ(line.cut(all, 2, 3), 2);
  EXPECT_EQ(line.cut(all, 1, 2), 3);
  EXPECT_EQ(line.cut(all, 1, 12), 7);
  EXPECT_EQ(line.cut({.right = 3, .left = 5}, 0.75, 1.5), 3.75);
  EXPECT_EQ(line.point_in(all, 0), 8);
  EXPECT_EQ(line.point_in(all, 1), 0);
}

TEST(worker_line, of_workers_of_one_speed_is_that_of_the_paper_bit_for_bit) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    runtime::dice roll(seed);
    std::uint32_t const workers = 1 + roll.below(200);
    worker_line const flat(layout::flat(workers), true);
    worker_line const stated(of_speeds("0.37", workers), true);
    worker_line const asked(random_layout(roll), false);
    for (worker_line const* line : {&flat, &stated, &asked}) {
      ASSERT_TRUE(line->is_even());
      double const a = roll.unit() * workers;
      double const b = roll.unit() * workers;
      range const r{.right = std::min(a, b), .left = std::max(a, b)};
      double const work = roll.unit();
      double const part = roll.unit();
      ASSERT_EQ(line->cut(r, work, work + part), cut(r, work, work + part));
      ASSERT_EQ(line->point_in(r, part), r.left - part * (r.left - r.right));
    }
  }
}

TEST(worker_line, the_children_of_a_group_cover_its_range_without_overlap_each_with_its_share_of_the_speed) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    runtime::dice roll(seed);
    layout const where = random_layout(roll);
    worker_line const line(where, true);
    worker_line const again(where, true);
    double slowest = 1;
    for (std::uint32_t w = 0; w < where.workers(); ++w) slowest = std::min(slowest, where.speed_of(worker_id{w}));
    double const a = roll.unit() * where.workers();
    double const b = roll.unit() * where.workers();
    range const whole{.right = std::min(a, b), .left = std::max(a, b)};
    std::vector<double> works(1 + roll.below(9));
    double remaining = 0;
    for (double& w : works) remaining += w = roll.below(5) == 0 ? 0 : roll.unit();
    double const total = remaining;
    range rest = whole;
    for (double const w : works) {
      range const child{.right = line.cut(rest, w, remaining), .left = rest.left};
      ASSERT_EQ(child.right, again.cut(rest, w, remaining)) << "the same each time";
      ASSERT_TRUE(rest.contains(child));
      // The cut may have snapped to a border, and that before it.
      if (total > 0) {
        ASSERT_NEAR(line.speed_of(child), line.speed_of(rest) * (remaining > 0 ? w / remaining : 0),
                    2 * least_share + 1e-9);
      }
      rest.left = child.right;
      remaining -= w;
    }
    if (total > 0 && works.back() > 0) {
      ASSERT_NEAR(rest.left, whole.right, (least_share + 1e-9) / slowest);
    }
  }
}

TEST(worker_line, whatever_the_works_are_a_cut_is_inside_and_a_search_root_has_something_of_two_workers) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double strange[] = {0, -1, 1e-300, 1e300, 1e100, inf, -inf, nan, 1, 5e-324, -0.0};
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    runtime::dice roll(seed);
    layout const where = random_layout(roll);
    worker_line const line(where, true);
    auto const some = [&] { return roll.below(2) == 0 ? strange[roll.below(std::size(strange))] : roll.unit() * 10; };
    range r{.right = 0, .left = static_cast<double>(where.workers())};
    for (int depth = 0; depth < 40; ++depth) {
      double const at = line.cut(r, some(), some());
      ASSERT_TRUE(r.right <= at && at <= r.left) << at;
      range const halves[] = {{.right = at, .left = r.left}, {.right = r.right, .left = at}};
      for (range const& half : halves) {
        ASSERT_LT(half.owner(), where.workers());
        if (!half.spans()) continue;
        ASSERT_GE(half.owner() + 1.0 - half.right, least_share);
        ASSERT_GE(half.left - half.leftmost(), least_share);
      }
      r = halves[roll.below(2)];
    }
  }
}

TEST(worker_line, speeds_that_differ_by_a_factor_of_a_thousand_still_ascend) {
  worker_line const line(of_speeds("1000,1,1000,1", 4), true);
  range const all{.right = 0, .left = 4};
  for (int i = 0; i <= 1000; ++i) {
    double const at = line.point_in(all, i / 1000.0);
    ASSERT_TRUE(0 <= at && at <= 4);
    ASSERT_NEAR(line.speed_of({.right = at, .left = 4}), line.speed_of(all) * i / 1000.0, 1e-6);
  }
}

}}}}}  // namespace skua::v0::policies::adws
