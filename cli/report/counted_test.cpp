// SPDX-License-Identifier: MIT
// What a program does before, between and after its marked runs is in no figure of the report.
#include "cli/report/counted.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "cli/report/concurrency.hpp"
#include "cli/report/invented_test.hpp"
#include "cli/report/results.hpp"
#include "cli/report/steals.hpp"
#include "cli/report/tasks.hpp"
#include "cli/report/utilisation.hpp"
#include "cli/text/short_name.hpp"

namespace skua::cli::traced { namespace {

enum : std::uint32_t { nothing, task_a, task_b, iteration_name, began, ended };
std::vector<std::string> names() { return {"", "a", "b", "iteration", mark_of_begin, mark_of_end}; }

event mark_at(std::uint64_t ns, std::uint32_t name) { return at(ns, {.what = kind::mark, .other = name}); }

/// Two workers, of which one works in [100, 200) and in [500, 600), and whatever threads outside note.
run two_runs(std::vector<event> outside) {
  run r = invented(
      {{at(0, {.what = kind::sleeping}), at(90, {.what = kind::called, .other = task_b}), at(95, {.what = kind::left}),
        at(100, {.what = kind::called, .other = task_a}), at(200, {.what = kind::left}),
        at(500, {.what = kind::called, .other = task_a}), at(600, {.what = kind::left})},
       {at(0, {.what = kind::idling, .value = 40}), at(150, {.what = kind::sleeping, .value = 60}),
        at(1000, {.what = kind::sleeping, .value = 60})}},
      names());
  r.outside.emplace_back().events = std::move(outside);
  return r;
}
run marked() { return two_runs({mark_at(100, began), mark_at(200, ended), mark_at(500, began), mark_at(600, ended)}); }
using parts = std::vector<part>;

TEST(counted, a_run_without_marks_is_as_before) {
  run const r = two_runs({});
  EXPECT_EQ(counted_parts(r), parts{});
  run const same = counted(r);
  EXPECT_EQ(same.length_ns, 1000u);
  EXPECT_EQ(same.uncounted_ns, 0u);
  EXPECT_EQ(same.workers[0].events, r.workers[0].events);
  EXPECT_TRUE(report_of({same})["runs"][0]["uncounted"].is_null());
}

TEST(counted, parts_are_joined_and_the_rest_is_said) {
  run const r = counted(marked());
  EXPECT_EQ(r.length_ns, 200u);
  EXPECT_EQ(r.uncounted_ns, 800u);
  concurrency const c = concurrency_of(replay(r));
  EXPECT_DOUBLE_EQ(c.mean(), 1) << "the caller works all the time that counts";
  EXPECT_DOUBLE_EQ(c.share_with(0), 0);
  json const said = report_of({r})["runs"][0];
  EXPECT_EQ(said["uncounted"], "Setting up and checking, 800.00 ns, are not counted.");
  EXPECT_EQ(said["length_s"], 200e-9);
  json const all = report_of({two_runs({})})["runs"][0];
  EXPECT_EQ(all["findings"].dump().find("outside_the_pool") != std::string::npos, true);
  EXPECT_EQ(said["findings"].dump().find("outside_the_pool"), std::string::npos) << said["findings"].dump();
}

TEST(counted, the_names_of_the_marks_stay_as_they_are_when_names_are_made_short) {
  EXPECT_EQ(short_name(mark_of_begin), mark_of_begin);
  EXPECT_EQ(short_name(mark_of_end), mark_of_end);
}

TEST(counted, a_worker_goes_on_with_what_it_did_before) {
  run const r = counted(marked());
  history const h = replay(r);
  times const spent = times_of_workers(h)[1];
  EXPECT_EQ(spent.of(activity::idle), 50u);
  EXPECT_EQ(spent.of(activity::asleep), 150u);
}

TEST(counted, calls_between_the_runs_are_none_of_their_tasks) {
  std::vector<task_times> const all = tasks_by_name(replay(counted(marked())));
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].name, task_a);
  EXPECT_EQ(all[0].count, 2u);
  EXPECT_EQ(all[0].total_ns, 200u);
}

TEST(counted, a_task_that_ends_a_moment_after_the_answer_ends_with_the_run) {
  run r = marked();
  r.workers[1].events = {at(0, {.what = kind::sleeping}), at(160, {.what = kind::task_began, .other = task_b, .id = 8}),
                         at(203, {.what = kind::task_ended, .id = 8}), at(204, {.what = kind::sleeping})};
  std::vector<task_times> const all = tasks_by_name(replay(counted(r)));
  ASSERT_EQ(all.size(), 2u);
  task_times const& of_b = all[0].name == task_b ? all[0] : all[1];
  EXPECT_EQ(of_b.count, 1u);
  EXPECT_EQ(of_b.total_ns, 40u);
}

TEST(counted, marks_that_are_missing_stand_for_the_ends_of_the_run) {
  EXPECT_EQ(counted_parts(two_runs({mark_at(200, ended), mark_at(500, began)})), (parts{{0, 200}, {500, 1000}}));
  EXPECT_EQ(counted_parts(two_runs({mark_at(500, began)})), (parts{{500, 1000}}));
  EXPECT_EQ(counted_parts(two_runs({mark_at(0, ended)})), parts{}) << "nothing would be left";
}

TEST(counted, marks_of_several_ranks_count_together) {
  run r = two_runs({mark_at(100, began), mark_at(300, ended), mark_at(700, began), mark_at(800, ended)});
  r.outside.emplace_back().events = {mark_at(120, began), mark_at(310, ended), mark_at(690, began),
                                     mark_at(790, ended)};
  EXPECT_EQ(counted_parts(r), (parts{{100, 310}, {690, 800}}));
}

TEST(counted, what_is_unknown_is_unknown_only_where_it_counts) {
  run early = marked();
  early.workers[1].lost = 5;
  early.workers[1].events.erase(early.workers[1].events.begin());  // known from 150 on
  EXPECT_EQ(concurrency_of(replay(counted(early))).unknown_ns, 50u);
  early.workers[1].events.front().ticks = 50;
  EXPECT_EQ(concurrency_of(replay(counted(early))).unknown_ns, 0u);

  run late = marked();
  late.workers[1].known_to_ns = 550;
  EXPECT_EQ(concurrency_of(replay(counted(late))).unknown_ns, 50u);
  late.workers[1].known_to_ns = 700;
  late.cut_bytes = 64;
  EXPECT_EQ(counted(late).cut_bytes, 0u);
}

TEST(counted, what_auto_says_after_the_last_run_is_kept) {
  run r = marked();
  r.outside[0].events.push_back(at(900, {.what = kind::call_choice, .other = task_a}));
  EXPECT_EQ(report_of({counted(r)})["runs"][0]["choices"]["says"], json::array({"a"}));
}

}}  // namespace skua::cli::traced
