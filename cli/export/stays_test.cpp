// SPDX-License-Identifier: MIT
#include "cli/export/stays.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cli/export/sample_trace.hpp"

namespace skua::cli {
namespace {

using trace::kind;

timeline timeline_of_one(trace::trace_data const& t) { return timeline_of({&t, 1}); }

/// "root 2-20 parked", for the slices of one row.
std::vector<std::string> slices_on(timeline const& t, std::uint32_t row) {
  std::vector<std::string> all;
  auto const by_row = slices_by_row(t);
  for (std::size_t const i : by_row[row]) {
    slice const& s = t.slices[i];
    all.push_back(std::string(2 * s.depth, ' ') + t.texts[s.name] + " " + std::to_string(s.begin_ns) + "-" +
                  std::to_string(s.end_ns) + " " + std::string(name_of(s.how)));
  }
  return all;
}

std::vector<std::string> arrows_in(timeline const& t) {
  auto const end = [&](arrow_end const& e) {
    std::uint32_t const row = e.is_slice ? t.slices[e.index].row : t.points[e.index].row;
    std::uint64_t const at = e.is_slice ? t.slices[e.index].begin_ns : t.points[e.index].at_ns;
    return name_of(t.rows[row]) + (e.is_slice ? " slice " : " point ") + std::to_string(at);
  };
  std::vector<std::string> all;
  for (arrow const& a : t.arrows) all.push_back(std::string(name_of(a.what)) + ": " + end(a.from) + " -> " + end(a.to));
  std::ranges::sort(all);
  return all;
}

using lines = std::vector<std::string>;

TEST(stays, a_task_that_parks_is_one_slice_per_stay_with_an_arrow_between_them) {
  timeline const t = timeline_of_one(busy_trace());
  EXPECT_EQ(slices_on(t, 1), (lines{"root 2-20 parked", "  leaf 3-5 ended", "child 45-70 cut"}));
  EXPECT_EQ(slices_on(t, 3), (lines{"child 11-30 ended", "  leaf 12-30 ended", "root 40-50 ended"}));
  EXPECT_EQ(arrows_in(t),
            (lines{"sent: worker 1 point 31 -> worker 0 slice 45", "stolen: worker 0 point 10 -> worker 1 slice 11",
                   "went on: worker 0 slice 2 -> worker 1 slice 40"}));
}

TEST(stays, what_a_worker_is_busy_with_has_a_row_of_its_own_and_is_counted) {
  timeline const t = timeline_of_one(busy_trace());
  EXPECT_EQ(slices_on(t, 2), (lines{"working 1-20 ended", "idle 20-45 ended", "working 45-70 cut"}));
  EXPECT_EQ(slices_on(t, 4), (lines{"asleep 0-10 ended", "working 10-70 cut"}));
  std::vector<std::uint64_t> working, waiting;
  for (sample const& s : t.samples) (s.what == sample::kind::working_workers ? working : waiting).push_back(s.value);
  EXPECT_EQ(working, (std::vector<std::uint64_t>{1, 2, 1, 2}));
  EXPECT_EQ(waiting, (std::vector<std::uint64_t>{1, 0}));
}

TEST(stays, iterations_and_marks_lie_on_the_row_of_the_pool) {
  timeline const t = timeline_of_one(busy_trace());
  EXPECT_EQ(slices_on(t, 0), (lines{"iteration 0 1-60 ended"}));
  auto const mark = std::ranges::find_if(t.points, [](point const& p) { return p.row == 0; });
  ASSERT_NE(mark, t.points.end());
  EXPECT_EQ(t.texts[mark->name], "a \"quoted\", \\ text");
  EXPECT_EQ(mark->value, 7u);
  EXPECT_EQ(t.pools.at(0).name, "fib, adws");
}

TEST(stays, an_end_without_a_beginning_is_dropped_and_a_beginning_without_an_end_lasts_to_the_end) {
  sample_trace t(1);
  t.add(0, 1, {.what = kind::task_ended, .id = 1});
  t.add(0, 2, {.what = kind::member_ended});
  t.add(0, 3, {.what = kind::iteration_ended, .value = 4});
  t.add(0, 5, {.what = kind::task_began, .id = 2});
  t.add(0, 6, {.what = kind::leaf});
  t.data().ended_ns = 9;
  timeline const drawn = timeline_of_one(t.data());
  EXPECT_EQ(slices_on(drawn, 0), lines{});
  EXPECT_EQ(slices_on(drawn, 1), (lines{"task 5-9 cut", "  leaf 6-9 cut"}));
}

TEST(stays, a_fiber_whose_beginning_was_lost_is_shown_from_where_it_is_resumed) {
  sample_trace t(2);
  t.add(0, 5, {.what = kind::resumed, .id = 0xf});
  t.add(0, 8, {.what = kind::task_ended, .id = 0xa});
  t.add(0, 9, {.what = kind::task_began, .id = 0xb});
  t.add(0, 11, {.what = kind::task_ended, .id = 0xb});
  EXPECT_EQ(slices_on(timeline_of_one(t.data()), 1), (lines{"task 5-8 ended", "task 9-11 ended"}));
}

TEST(stays, an_end_that_names_no_task_ends_the_innermost_and_a_caller_is_a_slice_until_it_leaves) {
  sample_trace t(1);
  t.add(0, 1, {.what = kind::called, .other = t.name("main")});
  t.add(0, 2, {.what = kind::task_began, .id = 7});
  t.add(0, 3, {.what = kind::task_began, .id = 8});
  t.add(0, 4, {.what = kind::task_ended});
  t.add(0, 5, {.what = kind::task_ended});
  t.add(0, 6, {.what = kind::left});
  EXPECT_EQ(slices_on(timeline_of_one(t.data()), 1),
            (lines{"main 1-6 ended", "  task 2-5 ended", "    task 3-4 ended"}));
}

TEST(stays, what_began_before_its_sender_had_noted_the_sending_still_has_its_arrow) {
  sample_trace t(2);
  t.add(1, 4, {.what = kind::task_began, .id = 9});
  t.add(0, 5, {.what = kind::sent, .other = 1, .id = 9});
  t.add(1, 6, {.what = kind::task_ended});
  t.add(1, 7, {.what = kind::task_began, .id = 9});  // the same address, another task
  EXPECT_EQ(arrows_in(timeline_of_one(t.data())), (lines{"sent: worker 0 point 4 -> worker 1 slice 4"}));
}

TEST(stays, tasks_that_run_on_top_of_a_waiting_one_move_with_it) {
  sample_trace t(2);
  t.add(0, 1, {.what = kind::task_began, .other = t.name("outer"), .id = 1});
  t.add(0, 2, {.what = kind::task_began, .other = t.name("inner"), .id = 2});
  t.add(0, 3, {.what = kind::moved, .other = 1, .id = 0xf});
  t.add(1, 3, {.what = kind::resumed, .id = 0xf});
  t.add(1, 4, {.what = kind::task_ended, .id = 2});
  t.add(1, 6, {.what = kind::task_ended, .id = 1});
  timeline const drawn = timeline_of_one(t.data());
  EXPECT_EQ(slices_on(drawn, 1), (lines{"outer 1-3 moved", "  inner 2-3 moved"}));
  EXPECT_EQ(slices_on(drawn, 3), (lines{"outer 3-6 ended", "  inner 3-4 ended"}));
  EXPECT_EQ(drawn.arrows.size(), 2u);
}

TEST(stays, the_end_of_an_outer_task_ends_those_inside_of_it) {
  sample_trace t(1);
  t.add(0, 1, {.what = kind::task_began, .id = 1});
  t.add(0, 2, {.what = kind::task_began, .id = 2});
  t.add(0, 3, {.what = kind::member_began, .count = 2, .id = 3});
  t.add(0, 6, {.what = kind::task_ended, .id = 1});
  EXPECT_EQ(slices_on(timeline_of_one(t.data()), 1), (lines{"task 1-6 ended", "  task 2-6 cut", "    team 3-6 cut"}));
}

TEST(stays, what_arrives_without_a_task_to_be_seen_is_a_point_at_the_receiver) {
  sample_trace t(2);
  t.add(1, 4, {.what = kind::stolen, .other = 0, .id = 9});
  t.add(1, 5, {.what = kind::stolen, .other = 77, .id = 9});  // no such victim: a damaged event
  EXPECT_EQ(arrows_in(timeline_of_one(t.data())), (lines{"stolen: worker 0 point 4 -> worker 1 point 4"}));
}

TEST(stays, nodes_of_flows_are_slices_and_their_edges_arrows) {
  timeline const t = timeline_of_one(flow_trace());
  EXPECT_EQ(slices_on(t, 1), (lines{"task 2-15 parked", "  gemm 2-10 ended", "  gemm 11-15 parked", "gemm 16-22 ended",
                                    "gemm 31-35 ended"}));
  EXPECT_EQ(slices_on(t, 3), (lines{"gemm 12-20 ended", "task 24-50 cut", "  gemm 24-30 ended", "  gemm 31-40 ended"}));
  // From the stay that ended, or the member of a team that ended last, to the first to begin. Node 4 is not in the trace.
  auto arrows = arrows_in(t);
  std::erase_if(arrows, [](std::string const& a) { return !a.starts_with("edge"); });
  EXPECT_EQ(arrows,
            (lines{"edge: worker 0 slice 16 -> worker 1 slice 31", "edge: worker 0 slice 2 -> worker 0 slice 11",
                   "edge: worker 0 slice 2 -> worker 0 slice 31", "edge: worker 0 slice 2 -> worker 1 slice 12",
                   "edge: worker 1 slice 24 -> worker 1 slice 31"}));
  std::vector<std::string> said;
  for (point const& p : t.points) said.push_back(t.texts[p.name]);
  EXPECT_EQ(said, (lines{"flow 3: 6 nodes", "flow 3 ended"}));
}

TEST(stays, an_end_of_a_node_without_its_beginning_is_dropped) {
  sample_trace t(1);
  t.add(0, 1, {.what = kind::node_ended, .count = 1, .other = 2, .id = trace::id_of_node(1, 0)});
  t.add(0, 2, {.what = kind::node_began, .id = trace::id_of_node(1, 2)});
  timeline const drawn = timeline_of_one(t.data());
  EXPECT_EQ(slices_on(drawn, 1), (lines{"node 2-2 cut"}));
  EXPECT_TRUE(drawn.arrows.empty());
}

TEST(stays, traces_of_ranks_are_aligned_and_their_messages_joined) {
  std::vector<trace::trace_data> both;
  for (std::uint32_t const rank : {0u, 1u}) {
    sample_trace t(1);
    t.add(0, 10,
          {.what = rank == 0 ? kind::message_sent : kind::message_received, .other = 1 - rank, .id = 5, .value = 80});
    t.data().rank = rank;
    t.data().ranks = 2;
    t.data().began_ns = 1000 + 100 * rank;
    both.push_back(t.data());
  }
  both[1].tracks[0].events.push_back({.ticks = 20, .what = kind::message_received, .other = 0, .id = 6});
  timeline const drawn = timeline_of(both);
  EXPECT_EQ(offsets_of(both), (std::vector<std::uint64_t>{0, 100}));
  EXPECT_EQ(arrows_in(drawn), (lines{"message: worker 0 point 10 -> worker 0 point 110"}));
  EXPECT_EQ(drawn.pools.at(1).name, "rank 1: fib, adws");
  EXPECT_EQ(drawn.rows.at(4).pool, 1u);
}

TEST(stays, a_steal_from_a_rank_leads_from_the_victims_reply_to_the_thief) {
  timeline const drawn = timeline_of(ranks_that_steal(110));
  std::vector<std::string> between, within;
  for (arrow const& a : drawn.arrows) {
    if (a.what != arrow::kind::stolen) continue;
    point const& from = drawn.points[a.from.index];
    point const& to = drawn.points[a.to.index];
    ASSERT_FALSE(a.from.is_slice || a.to.is_slice);
    (drawn.rows[from.row].pool == drawn.rows[to.row].pool ? within : between)
        .push_back(drawn.pools[drawn.rows[from.row].pool].name + ", " + name_of(drawn.rows[from.row]) + " " +
                   std::to_string(from.at_ns) + " " + drawn.texts[from.name] + " -> " +
                   drawn.pools[drawn.rows[to.row].pool].name + ", " + name_of(drawn.rows[to.row]) + " " +
                   std::to_string(to.at_ns) + " " + drawn.texts[to.name] + ": " + std::to_string(to.value));
  }
  EXPECT_EQ(between,
            (lines{"rank 0: uts, worker 0 110 stolen by rank 1 -> rank 1: uts, worker 0 121 stole from rank 0: 3"}));
  EXPECT_EQ(within,
            (lines{"rank 1: uts, worker 0 130 stolen by worker 2 -> rank 1: uts, worker 2 130 stole from worker 0: 0"}))
      << "the same number, but in the rank it is a worker's";
}

TEST(stays, a_steal_whose_reply_the_victim_has_lost_is_one_of_the_moment_when_the_thief_had_it) {
  EXPECT_EQ(arrows_in(timeline_of(ranks_that_steal(0))), (lines{"message: worker 0 point 105 -> worker 0 point 108",
                                                                "stolen: worker 0 point 121 -> worker 0 point 121",
                                                                "stolen: worker 0 point 130 -> worker 2 point 130"}));
}

TEST(stays, a_steal_from_a_rank_without_a_trace_is_a_point_at_the_thief) {
  std::vector<trace::trace_data> const all = ranks_that_steal(110);
  timeline const drawn = timeline_of_one(all[1]);
  EXPECT_EQ(arrows_in(drawn), (lines{"stolen: worker 0 point 30 -> worker 2 point 30"}));
  EXPECT_TRUE(
      std::ranges::any_of(drawn.points, [&](point const& p) { return drawn.texts[p.name] == "stole from rank 0"; }));
}

TEST(stays, names_are_those_of_functions_and_a_track_beyond_the_workers_is_outside) {
  sample_trace t(2);
  t.data().description = R"({"workers":[{}]})";
  t.add(0, 1,
        {.what = kind::task_began, .other = t.name("char const* type_text() [with T = app::fib(int)::<lambda()>]")});
  timeline const drawn = timeline_of_one(t.data());
  EXPECT_EQ(drawn.texts[drawn.slices.at(0).name], "fib");
  EXPECT_EQ(name_of(drawn.rows.at(1)), "worker 0");
  EXPECT_EQ(name_of(drawn.rows.at(3)), "outside");
  EXPECT_EQ(workers_of(t.data()), 1u);
}

TEST(stays, a_description_that_is_no_json_costs_only_the_name) {
  sample_trace t(1);
  for (char const* const said : {"", "{", "[1]", R"({"program":7})"}) {
    t.data().description = said;
    EXPECT_EQ(pool_name(t.data(), 2), "program, pool 2") << said;
  }
}

TEST(stays, slices_that_begin_and_end_at_one_time_stay_nested) {
  sample_trace t(1);
  for (std::uint64_t id = 1; id <= 3; ++id) t.add(0, 5, {.what = kind::task_began, .id = id});
  for (std::uint64_t id = 3; id >= 1; --id) t.add(0, 5, {.what = kind::task_ended, .id = id});
  timeline const drawn = timeline_of_one(t.data());
  std::string walked;
  walk(
      drawn, slices_by_row(drawn)[1], [&](std::size_t i) { walked += "(" + std::to_string(drawn.slices[i].id); },
      [&](std::size_t i) { walked += std::to_string(drawn.slices[i].id) + ")"; });
  EXPECT_EQ(walked, "(1(2(33)2)1)");
}

}  // namespace
}  // namespace skua::cli
