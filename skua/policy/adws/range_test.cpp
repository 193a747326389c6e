// SPDX-License-Identifier: MIT
#include "skua/policy/adws/range.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "skua/parts/base/dice.hpp"
#include "skua/policy/adws/exact_for_test.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace adws { namespace {

TEST(range, an_integer_left_end_belongs_to_the_worker_before_it_and_a_right_end_to_the_worker_after) {
  // right, left, owner, leftmost: every combination of borders and insides.
  struct row {
    double right, left;
    std::uint32_t owner, leftmost;
  };
  for (row const& r :
       {row{0, 1, 0, 0}, row{0, 2, 0, 1}, row{1, 2, 1, 1}, row{0, 0.5, 0, 0}, row{0.5, 1, 0, 0}, row{0.5, 1.5, 0, 1},
        row{1, 1.5, 1, 1}, row{1.5, 1.75, 1, 1}, row{1.5, 3, 1, 2}, row{1.5, 3.25, 1, 3}, row{63, 64, 63, 63},
        row{0, 64, 0, 63}, row{62.999, 64, 62, 63},
        // Empty ones: the worker before the point, if it is a border.
        row{0, 0, 0, 0}, row{0.5, 0.5, 0, 0}, row{1, 1, 0, 0}, row{1.5, 1.5, 1, 1}, row{64, 64, 63, 63}}) {
    range const t{.right = r.right, .left = r.left};
    EXPECT_EQ(t.owner(), r.owner) << "[" << r.right << ", " << r.left << "]";
    EXPECT_EQ(t.leftmost(), r.leftmost) << "[" << r.right << ", " << r.left << "]";
    EXPECT_EQ(t.spans(), r.leftmost > r.owner) << "[" << r.right << ", " << r.left << "]";
    for (std::uint32_t w = 0; w < 66; ++w) {
      EXPECT_EQ(t.covers(w), r.owner <= w && w <= r.leftmost) << "[" << r.right << ", " << r.left << "], worker " << w;
    }
  }
}

TEST(range, a_cut_is_where_the_share_of_the_work_ends_counted_from_the_left) {
  range const r{.right = 0, .left = 64};
  EXPECT_EQ(cut(r, 1, 4), 48);
  EXPECT_EQ(cut(r, 3, 4), 16);
  EXPECT_EQ(cut(r, 4, 4), 0);
  EXPECT_EQ(cut({.right = 1.25, .left = 2.75}, 1, 3), 2.25);
}

TEST(range, a_cut_near_a_border_is_the_border_and_no_other) {
  range const r{.right = 0, .left = 3};
  EXPECT_EQ(cut(r, 1.0001, 3), 2);
  EXPECT_EQ(cut(r, 0.9999, 3), 2);
  EXPECT_EQ(cut(r, 1.01, 3), 3 - 1.01);
  // The border is outside of the range: the cut stays inside.
  EXPECT_EQ(cut({.right = 1.002, .left = 1.5}, 0.999, 1), 1.002);
  EXPECT_EQ(cut({.right = 1.5, .left = 1.999}, 0.001, 1), 1.999);
}

TEST(range, thirds_do_not_leave_slivers) {
  for (std::uint32_t workers = 1; workers <= 1000; ++workers) {
    range rest{.right = 0, .left = static_cast<double>(workers)};
    for (std::uint32_t i = 0; i < workers; ++i) {
      double const at = cut(rest, 0.1, 0.1 * (workers - i));
      ASSERT_EQ(at, workers - i - 1) << workers << " workers, child " << i;
      rest.left = at;
    }
  }
}

TEST(range, whatever_the_works_are_a_cut_is_inside_and_a_search_root_has_something_of_two_workers) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double strange[] = {0, -1, 1e-300, 1e300, 1e100, inf, -inf, nan, 1, 5e-324, -0.0};
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    runtime::dice roll(seed);
    auto const some = [&] { return roll.below(2) == 0 ? strange[roll.below(std::size(strange))] : roll.unit() * 10; };
    range r{.right = 0, .left = 1.0 + roll.below(200)};
    for (int depth = 0; depth < 40; ++depth) {
      double const at = cut(r, some(), some());
      ASSERT_TRUE(r.right <= at && at <= r.left) << "seed " << seed << ": " << at;
      range const halves[] = {{.right = at, .left = r.left}, {.right = r.right, .left = at}};
      for (range const& half : halves) {
        ASSERT_TRUE(r.contains(half)) << "seed " << seed;
        double const border = half.owner() + 1.0;
        if (!half.spans()) continue;
        ASSERT_GE(border - half.right, least_share) << "seed " << seed;
        ASSERT_GE(half.left - half.leftmost(), least_share) << "seed " << seed;
      }
      r = halves[roll.below(2)];
    }
  }
}

TEST(range, one_word_holds_a_range_up_to_a_fraction_of_the_least_share) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    runtime::dice roll(seed);
    double const a = roll.unit() * 65535;
    double const b = roll.unit() * 65535;
    range const r{.right = std::min(a, b), .left = std::max(a, b)};
    range const back = unpacked(packed(r));
    ASSERT_NEAR(back.right, r.right, least_share / 500) << "seed " << seed;
    ASSERT_NEAR(back.left, r.left, least_share / 500) << "seed " << seed;
  }
  EXPECT_EQ(unpacked(packed({.right = 0, .left = 65535})), (range{.right = 0, .left = 65535}));
}

TEST(range, cuts_are_those_of_exact_fractions) {
  std::size_t cuts = 0;
  for (std::int64_t const workers : {2, 3, 5, 6, 7, 12, 48, 64}) {
    struct both {
      range rounded;
      ratio right, left;
    };
    std::vector<both> level{{{.right = 0, .left = static_cast<double>(workers)}, ratio(0), ratio(workers)}};
    for (int depth = 0; depth < 6; ++depth) {
      std::vector<both> next;
      for (both rest : level) {
        for (std::int64_t n = 4; n > 0; --n) {
          ratio const exact = n == 1 ? rest.right : exact_cut(rest.right, rest.left, n);
          range const child{.right = cut(rest.rounded, 1, static_cast<double>(n)), .left = rest.rounded.left};
          range const same{.right = exact.value(), .left = rest.left.value()};
          ASSERT_NEAR(child.right, exact.value(), 1e-9) << workers << " workers, depth " << depth;
          ASSERT_EQ(child.owner(), same.owner()) << workers << " workers, depth " << depth;
          ASSERT_EQ(child.leftmost(), same.leftmost()) << workers << " workers, depth " << depth;
          if (child.spans()) next.push_back({child, exact, rest.left});
          rest.rounded.left = child.right;
          rest.left = exact;
          ++cuts;
        }
      }
      level = next;
    }
  }
  EXPECT_GT(cuts, 500U);
}

}}}}}  // namespace skua::v0::policies::adws
