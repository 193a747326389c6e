// SPDX-License-Identifier: MIT
#include "cli/measure/interval.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "cli/measure/breakdown.hpp"

namespace skua::cli {
namespace {

TEST(interval, few_rounds_are_all_in_the_spread_and_of_many_the_middle_half) {
  interval const few = spread_of(std::vector<double>{5, 1, 3, 2, 4, 6, 7, 100});
  EXPECT_EQ(few.low, 1);
  EXPECT_EQ(few.middle, 4.5);
  EXPECT_EQ(few.high, 100);
  interval const many = spread_of(std::vector<double>{9, 1, 3, 2, 4, 6, 7, 5, 1000});
  EXPECT_EQ(many.low, 3);
  EXPECT_EQ(many.middle, 5);
  EXPECT_EQ(many.high, 7);
}

TEST(interval, quartiles_lie_between_values_in_proportion) {
  interval const ten = spread_of(std::vector<double>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  EXPECT_DOUBLE_EQ(ten.low, 2.25);
  EXPECT_DOUBLE_EQ(ten.middle, 4.5);
  EXPECT_DOUBLE_EQ(ten.high, 6.75);
}

TEST(interval, its_middle_is_the_median_that_the_tables_show) {
  for (std::vector<double> const& values : {std::vector<double>{3}, {3, 1}, {4, 1, 9}, {4, 1, 9, 5, 5, 5, 2, 8, 7, 6}})
    EXPECT_DOUBLE_EQ(spread_of(values).middle, median(values));
}

TEST(interval, a_ratio_contains_one_exactly_if_the_two_are_not_apart) {
  interval const low{1, 2, 3};
  for (interval const& other :
       {interval{3, 4, 5}, interval{2, 2.5, 6}, interval{3.1, 4, 5}, interval{0.1, 0.2, 0.9}, interval{1.5, 2, 2.5}}) {
    interval const ratio = ratio_of(low, other);
    bool const has_one = ratio.low <= 1 && 1 <= ratio.high;
    EXPECT_EQ(has_one, !are_apart(low, other)) << other.low;
    EXPECT_EQ(are_apart(low, other), are_apart(other, low));
    EXPECT_LE(ratio.low, ratio.middle);
    EXPECT_LE(ratio.middle, ratio.high);
  }
}

}  // namespace
}  // namespace skua::cli
