// SPDX-License-Identifier: MIT
// Each finding begins at its threshold, names a command that tries the change, and is silent where nothing limits.
#include "cli/report/findings.hpp"

#include <gtest/gtest.h>

namespace skua::cli::traced { namespace {

/// A run on eight workers that nothing limits.
run_numbers sound() {
  run_numbers n;
  n.how.arguments = {"./heat", "--n", "64"};
  n.how.trace = "old.trace";
  n.policy = "random";
  n.workers = 8;
  n.work = 0.97;
  n.scheduling = 0.02;
  n.idle = 0.01;
  n.mean_busy = 7.8;
  n.tasks = 5000;
  n.mean_task_s = 1e-4;
  n.attempts = 500;
  n.steals = 200;
  return n;
}

std::vector<std::string> keys(run_numbers const& n) {
  std::vector<std::string> all;
  for (finding const& f : findings_of(n)) all.push_back(f.key);
  return all;
}
using found = std::vector<std::string>;

TEST(findings, nothing_is_found_where_nothing_limits) {
  EXPECT_EQ(keys(sound()), found{});
  EXPECT_EQ(keys({}), found{});
}

TEST(findings, scheduling_above_a_tenth_means_that_tasks_are_too_short) {
  run_numbers n = sound();
  n.scheduling = 0.10;
  EXPECT_EQ(keys(n), found{});
  n.work = 0.5;
  n.scheduling = 0.25;
  ASSERT_EQ(keys(n), found{"tasks_too_short"});
  finding const f = findings_of(n)[0];
  EXPECT_NE(f.advice.find("10 times earlier"), std::string::npos) << "0.25 / 0.5 is ten times the aim: " << f.advice;
  EXPECT_EQ(f.command, "SKUA_TRACE=coarser.trace ./heat --n 64 && skua report old.trace coarser.trace -o report.html");
}

TEST(findings, idling_counts_only_where_there_was_nothing_to_steal) {
  run_numbers n = sound();
  n.idle = 0.4;
  n.starved = 0.39;
  n.work = 0.58;
  n.mean_busy = 4.3;
  EXPECT_EQ(keys(n), found{}) << "there are tasks, and attempts succeed";
  n.attempts = 10'000;
  ASSERT_EQ(keys(n), found{"too_few_tasks"});
  EXPECT_NE(findings_of(n)[0].command.find("SKUA_WORKERS=5 "), std::string::npos);
  n.attempts = 500;
  n.tasks = 20;
  EXPECT_EQ(keys(n), found{"too_few_tasks"});
  n.workers = 1;
  EXPECT_EQ(keys(n), found{});
}

TEST(findings, workers_that_sleep_while_others_work_have_too_few_tasks) {
  run_numbers n = sound();
  n.workers = 64;
  n.work = 0.22;
  n.idle = 0.28;
  n.asleep = 0.5;
  n.starved = 0.7;
  n.mean_busy = 14.2;
  EXPECT_EQ(keys(n), found{"too_few_tasks"});
  n.starved = 0.2;
  EXPECT_EQ(keys(n), found{});
}

TEST(findings, workers_that_share_processors_are_too_many_and_explain_inflation) {
  run_numbers n = sound();
  n.processors = 8;
  EXPECT_EQ(keys(n), found{});
  n.processors = 2;
  n.inflation = 3;
  ASSERT_EQ(keys(n), found{"too_many_workers"});
  EXPECT_NE(findings_of(n)[0].command.find("SKUA_WORKERS=2 "), std::string::npos);
}

TEST(findings, far_steals_matter_when_work_inflates) {
  run_numbers n = sound();
  n.far_steals = 0.7;
  EXPECT_EQ(keys(n), found{}) << "nobody knows whether they cost anything";
  n.inflation = 1.1;
  EXPECT_EQ(keys(n), found{});
  n.inflation = 1.6;
  ASSERT_EQ(keys(n), found{"steals_from_far"});
  EXPECT_NE(findings_of(n)[0].command.find("SKUA_POLICY=numa-ws "), std::string::npos);
  n.policy = "numa-ws:beta=4";
  EXPECT_NE(findings_of(n)[0].command.find("SKUA_POLICY=adws "), std::string::npos);
  n.far_steals = 0.1;
  EXPECT_EQ(keys(n), found{"work_inflates"});
}

TEST(findings, a_small_overlap_asks_for_adws_and_under_adws_for_hints) {
  run_numbers n = sound();
  n.overlap = 0.3;
  n.iterations = 2;
  EXPECT_EQ(keys(n), found{});
  n.iterations = 20;
  ASSERT_EQ(keys(n), found{"data_moves"});
  EXPECT_NE(findings_of(n)[0].command.find("SKUA_POLICY=adws "), std::string::npos);
  n.policy = "adws";
  EXPECT_NE(findings_of(n)[0].advice.find("measured"), std::string::npos);
  n.overlap = 0.9;
  EXPECT_EQ(keys(n), found{});
}

TEST(findings, a_long_last_task_is_named) {
  run_numbers n = sound();
  n.tail = 0.25;
  n.tail_task = "potrf";
  ASSERT_EQ(keys(n), found{"long_last_task"});
  EXPECT_NE(findings_of(n)[0].evidence.find("potrf"), std::string::npos);
  EXPECT_NE(findings_of(n)[0].evidence.find("25.0%"), std::string::npos);
}

TEST(findings, a_serial_part_is_not_the_tail_and_names_its_bound) {
  run_numbers n = sound();
  n.asleep = 0.5;
  n.work = 0.48;
  n.with_one = 0.5;
  ASSERT_EQ(keys(n), found{"serial_part"});
  EXPECT_NE(findings_of(n)[0].advice.find("2.0 times"), std::string::npos) << findings_of(n)[0].advice;
  n.with_one = 0.984;
  EXPECT_NE(findings_of(n)[0].advice.find("do not make the run faster"), std::string::npos) << "not 1.0 times as fast";
  n.with_one = 0.5;
  n.tail = 0.4;
  EXPECT_EQ(keys(n), found{"long_last_task"});
}

TEST(findings, time_without_any_work_is_outside_the_pool) {
  run_numbers n = sound();
  n.with_none = 0.3;
  EXPECT_EQ(keys(n), found{}) << "the workers are awake";
  n.asleep = 0.4;
  EXPECT_EQ(keys(n), found{"outside_the_pool"});
}

TEST(findings, the_most_expensive_comes_first) {
  run_numbers n = sound();
  n.scheduling = 0.15;
  n.idle = 0.5;
  n.starved = 0.5;
  n.tasks = 3;
  EXPECT_EQ(keys(n), (found{"too_few_tasks", "tasks_too_short"}));
}

TEST(findings, every_one_of_them_is_explained) { EXPECT_EQ(looked_for().size(), 9u); }

}}  // namespace skua::cli::traced
