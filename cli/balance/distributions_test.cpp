// SPDX-License-Identifier: MIT
#include "cli/balance/distributions.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <sstream>
#include <string>

#include "skua/parts/base/error.hpp"
#include "skua/policy/balance/plan.hpp"

namespace skua::cli {
namespace {

std::string refusal(std::string const& text) {
  std::istringstream in(text);
  try {
    static_cast<void>(read_loads(in, "loads.csv"));
  } catch (usage_error const& e) {
    return e.what();
  }
  return "";
}

double most_over_average(machine_loads const& loads) {
  return 1 + policies::balance::plan_of(loads, {}, 3).report.over_ideal_before();
}

TEST(distributions, every_nth_rank_gets_m_of_the_sorted_tasks_in_a_row) {
  machine_loads const loads = dealt({1, 2, 3, 4, 5, 6, 7}, 3, {.every = 2, .tasks = 2});
  EXPECT_EQ(loads, (machine_loads{{7, 6, 2, 1}, {5}, {4, 3}}));
  EXPECT_EQ(dealt({1, 2, 3}, 2, {.every = 1, .tasks = 1}), (machine_loads{{3, 1}, {2}}));
}

TEST(distributions, the_tasks_of_be256_are_as_unbalanced_as_in_the_paper) {
  std::vector<load_ns> const tasks = be256_tasks();
  EXPECT_EQ(tasks.size(), 213'144U);
  EXPECT_NEAR(most_over_average(dealt(tasks, 2400, {})), 2.56, 0.005) << "the paper: 2.52";
  EXPECT_NEAR(most_over_average(dealt(tasks, 38'400, {})), 7.90, 0.03) << "the paper: 6.91";
  std::vector<load_ns> with_overhead = tasks;
  add_overhead(with_overhead, 0.25);
  EXPECT_NEAR(most_over_average(dealt(with_overhead, 2400, {})), 2.51, 0.005);
  EXPECT_NEAR(most_over_average(dealt(with_overhead, 38'400, {})), 6.90, 0.03);
}

TEST(distributions, lognormal_tasks_have_the_mean_and_the_spread_of_be256) {
  std::vector<load_ns> const tasks = lognormal_tasks(1'000'000, 1);
  double sum = 0;
  double squares = 0;
  for (load_ns const load : tasks) {
    sum += static_cast<double>(load);
    squares += static_cast<double>(load) * static_cast<double>(load);
  }
  double const mean = sum / 1e6;
  EXPECT_NEAR(mean, 158'376, 1000);
  EXPECT_NEAR(std::sqrt(squares / 1e6 - mean * mean) / mean, 1.94, 0.1);
  EXPECT_EQ(lognormal_tasks(10, 3), lognormal_tasks(10, 3));
}

TEST(distributions, a_file_holds_a_rank_and_a_load_in_each_line) {
  std::istringstream in("rank,load\n2,5\r\n\n0,18446744073709551615\n2,0\n");
  EXPECT_EQ(read_loads(in, "x"), (machine_loads{{~load_ns{0}}, {}, {5, 0}}));
}

TEST(distributions, each_mistake_in_a_file_is_named_with_its_line) {
  EXPECT_EQ(refusal("0,1\n7\n"), "loads.csv:2: a line is '7'; allowed: rank,load");
  EXPECT_EQ(refusal("x,1\n"), "loads.csv:1: a rank is 'x'; allowed: a whole number from 0 to 999999");
  EXPECT_EQ(refusal("0,1\n1000000,1\n"), "loads.csv:2: a rank is '1000000'; allowed: a whole number from 0 to 999999");
  EXPECT_EQ(refusal("0,-1\n"), "loads.csv:1: a load is '-1'; allowed: a whole number from 0 to 18446744073709551615");
  EXPECT_EQ(refusal("0,1,2\n"), "loads.csv:1: a load is '1,2'; allowed: a whole number from 0 to 18446744073709551615");
  EXPECT_EQ(refusal("rank,load\n"), "loads.csv: the file has no task; allowed: at least one line rank,load");
}

TEST(distributions, a_pattern_is_two_numbers) {
  EXPECT_EQ(read_pattern("8,2").every, 8U);
  EXPECT_EQ(read_pattern("8,2").tasks, 2U);
  for (char const* wrong : {"", "4", "0,4", "4,0", "4,4,4", "a,b"}) {
    EXPECT_THROW(static_cast<void>(read_pattern(wrong)), usage_error) << wrong;
  }
}

}  // namespace
}  // namespace skua::cli
