// SPDX-License-Identifier: MIT
// Tasks are counted by name with quantiles of their own times, and a team is counted once, however many members it has.
#include "cli/report/tasks.hpp"

#include <gtest/gtest.h>

#include "cli/report/invented_test.hpp"

namespace skua::cli::traced {
namespace {

TEST(tasks, quantiles_are_times_of_tasks_that_ran) {
  history h;
  for (std::uint64_t i = 1; i <= 200; ++i) h.tasks.push_back({.name = 1, .own_ns = i});
  h.tasks.push_back({.name = 2, .own_ns = 1'000'000});
  auto const all = tasks_by_name(h);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].name, 2u) << "most time first";
  EXPECT_EQ(all[0].p50_ns, 1'000'000u);
  EXPECT_EQ(all[1].count, 200u);
  EXPECT_EQ(all[1].p50_ns, 100u);
  EXPECT_EQ(all[1].p99_ns, 198u);
  EXPECT_EQ(all[1].max_ns, 200u);
  EXPECT_DOUBLE_EQ(all[1].mean_ns(), 100.5);
}

TEST(tasks, a_team_of_two_is_one_team) {
  auto const member = [](std::uint64_t from, std::uint16_t width) {
    return std::vector<event>{at(from, {.what = kind::member_began, .detail = 4, .count = width, .other = 1, .id = 77}),
                              at(from + 10, {.what = kind::member_ended})};
  };
  run const r = invented({member(0, 2), member(0, 2), member(5, 1)});
  auto const groups = teams_of(r);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].type, 4u);
  EXPECT_EQ(groups[0].address, 77u);
  ASSERT_EQ(groups[0].widths.size(), 2u);
  EXPECT_EQ(groups[0].widths[0].width, 1u);
  EXPECT_DOUBLE_EQ(groups[0].widths[1].teams, 1);
  EXPECT_EQ(groups[0].widths[1].mean_ns, 10u);
  EXPECT_DOUBLE_EQ(groups[0].teams(), 2);
}

}  // namespace
}  // namespace skua::cli::traced
