// SPDX-License-Identifier: MIT
// Files of one run become one list of workers on one clock, with references that hold across files.
#include "cli/report/run.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "cli/report/invented_test.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::cli::traced { namespace {

using namespace std::string_literals;

/// A file of two workers and the track of threads outside.
trace::trace_data file(std::uint32_t rank, std::uint64_t began_ns) {
  trace::trace_data f;
  f.description =
      R"({"program":"p","policy":"adws","workers":[{"node":0,"place":0},{"node":1,"place":1}],"distances":["near","far"]})";
  f.rank = rank;
  f.ranks = 2;
  f.is_complete = true;
  f.began_ns = began_ns;
  f.names = "\0x::f(int)::<lambda()>\0"s;
  f.tracks.resize(3);
  f.tracks[0].events = {at(100, {.what = kind::task_began, .other = 1}), at(200, {.what = kind::task_ended})};
  f.tracks[1].events = {at(150, {.what = kind::stolen, .count = 1, .other = 0})};
  f.tracks[2].events = {at(120, {.what = kind::region_opened, .other = 1})};
  return f;
}

TEST(run, ranks_are_laid_on_one_clock_and_workers_numbered_through) {
  std::vector<trace::trace_data> files;
  files.push_back(file(0, 5000));
  files.push_back(file(1, 5300));
  run const r = merge("t", std::move(files));
  ASSERT_EQ(r.workers.size(), 4u);
  EXPECT_EQ(r.outside.size(), 2u);
  EXPECT_EQ(r.length_ns, 400u) << "from the first event, at 100, to the last, at 300 + 200";
  EXPECT_EQ(r.workers[0].events[0].ticks, 0u);
  EXPECT_EQ(r.workers[2].events[0].ticks, 300u);
  EXPECT_EQ(r.workers[3].events[0].other, 2u) << "the victim is a worker of the same file";
  EXPECT_EQ(r.names[r.workers[2].events[0].other], "f");
  EXPECT_EQ(r.names.size(), 1u) << "both files call it the same";
  EXPECT_NE(r.workers[0].node, r.workers[2].node) << "a node of another rank is another node";
  EXPECT_EQ(r.workers[1].node, 1);
  EXPECT_EQ(r.distances, (std::vector<std::string>{"near", "far"}));
  EXPECT_EQ(r.policy, "adws");
  EXPECT_EQ(r.ranks, 2u);
  EXPECT_TRUE(r.complete);
}

TEST(run, names_of_schedulers_and_calls_are_short_and_what_auto_says_is_not) {
  trace::trace_data f = file(0, 0);
  f.names = "\0x::f(int)::<lambda()>\0adws\0x::f(int)::<lambda()>: adws (the first choice)\0"s;
  f.tracks[0].events = {at(1, {.what = kind::scheduler_changed, .other = 23, .id = 1}),
                        at(2, {.what = kind::scheduler_changed, .other = 23, .id = 0})};
  f.tracks[2].events = {at(9, {.what = kind::call_choice, .other = 28})};
  std::vector<trace::trace_data> files;
  files.push_back(std::move(f));
  run const r = merge("t", std::move(files));
  event const& e = r.workers[0].events[0];
  EXPECT_EQ(r.names[e.other], "adws");
  EXPECT_EQ(r.names[e.id], "f");
  EXPECT_EQ(r.names[r.workers[0].events[1].id], "(no name)");
  EXPECT_EQ(r.names[r.outside[0].events[0].other], "x::f(int)::<lambda()>: adws (the first choice)");
}

TEST(run, steals_from_ranks_keep_the_ranks_number_and_distances_of_all_files_have_one_numbering) {
  std::vector<trace::trace_data> files;
  for (std::uint32_t const rank : {0u, 1u}) {
    files.push_back(file(rank, 0));
    trace::trace_data of_rank;
    of_rank.rank = rank;
    of_rank.ranks = 2;
    of_rank.description = R"({"distances":["the same rank","another rank"],"distance_of_ranks":1})";
    of_rank.tracks.resize(2);
    of_rank.tracks[0].events = {at(10, {.what = kind::stolen, .count = 1, .other = 1 - rank, .value = 5}),
                                at(20, {.what = kind::stolen, .count = 1, .other = 77})};
    of_rank.tracks[1].events = {at(30, {.what = kind::stolen, .count = 0, .other = 0}),
                                at(40, {.what = kind::stolen, .count = 9, .other = 0})};
    files.push_back(std::move(of_rank));
  }
  run const r = merge("t", std::move(files));
  EXPECT_EQ(r.distances, (std::vector<std::string>{"near", "far", "the same rank", "another rank", "distance 9"}));
  ASSERT_EQ(r.workers.size(), 8u);
  event const& in_pool = r.workers[5].events[0];  // of rank 1
  EXPECT_EQ(in_pool.count, 1u);
  EXPECT_EQ(in_pool.other, 4u);
  EXPECT_FALSE(r.is_from_rank(in_pool)) << "class 1 of a pool is another one than class 1 of a rank";
  event const& of_rank = r.workers[6].events[0];
  EXPECT_TRUE(r.is_from_rank(of_rank));
  EXPECT_EQ(of_rank.other, 0u);
  EXPECT_EQ(r.workers[2].events[0].other, 1u);
  EXPECT_EQ(r.workers[6].events[1].other, 1u) << "no such rank: a damaged event";
  EXPECT_EQ(r.workers[7].events[0].other, 6u) << "a worker of the same rank";
  EXPECT_EQ(r.distances[r.workers[7].events[1].count], "distance 9");
}

TEST(run, one_incomplete_file_makes_the_run_incomplete) {
  std::vector<trace::trace_data> files;
  files.push_back(file(0, 0));
  files.push_back(file(1, 0));
  files[1].is_complete = false;
  files[1].tracks[0].lost = 3;
  run const r = merge("t", std::move(files));
  EXPECT_FALSE(r.complete);
  EXPECT_EQ(r.lost(), 3u);
}

TEST(run, what_was_overwritten_or_cut_off_belongs_to_the_run_s_length) {
  std::vector<trace::trace_data> files;
  files.push_back(file(0, 0));
  files[0].ended_ns = 1000;
  files[0].tracks[1].lost = 3;
  EXPECT_EQ(runs_of("t", files)[0].length_ns, 200u)
      << "from the trace's beginning to its last event, which is at its end";
  files[0].tracks[0].is_cut = true;
  files[0].cut_bytes = 7;
  run const r = runs_of("t", std::move(files))[0];
  EXPECT_EQ(r.length_ns, 1000u);
  EXPECT_EQ(r.workers[0].known_to_ns, 200u);
  EXPECT_EQ(r.workers[1].known_to_ns, to_the_end);
  EXPECT_EQ(r.cut_bytes, 7u);
}

TEST(run, a_killed_rank_is_unknown_while_others_go_on) {
  std::vector<trace::trace_data> files;
  files.push_back(file(0, 0));
  files.push_back(file(1, 5000));
  files[0].is_complete = false;
  files[0].ended_ns = 200;
  run const r = merge("t", std::move(files));
  EXPECT_EQ(r.workers[0].known_to_ns, 100u) << "the run begins at 100";
  EXPECT_EQ(r.workers[1].known_to_ns, 100u) << "its process was there until its other worker's last event";
  EXPECT_EQ(r.workers[2].known_to_ns, to_the_end);
}

/// As `process` wrote it, one of `ranks`.
trace::trace_data file_of(int process, std::uint32_t rank, std::uint32_t ranks) {
  trace::trace_data f = file(rank, 0);
  f.ranks = ranks;
  f.description = R"({"host":"here","process":)" + std::to_string(process) + "}";
  return f;
}

std::vector<std::string> labels(std::vector<trace::trace_data> files) {
  std::vector<std::string> all;
  for (run const& r : runs_of("t", std::move(files))) all.push_back(r.label);
  return all;
}

TEST(run, files_of_one_process_or_one_job_are_one_run) {
  using found = std::vector<std::string>;
  EXPECT_EQ(labels({file_of(7, 0, 1), file_of(7, 0, 1)}), found{"t"});
  EXPECT_EQ(labels({file_of(7, 0, 2), file_of(8, 1, 2)}), found{"t"});
  EXPECT_EQ(labels({file_of(7, 0, 2), file_of(7, 0, 2), file_of(8, 1, 2)}), found{"t"}) << "a pool of rank 0";
}

TEST(run, two_processes_with_one_name_are_two_runs) {
  using found = std::vector<std::string>;
  EXPECT_EQ(labels({file_of(7, 0, 1), file_of(8, 0, 1), file_of(7, 0, 1)}),
            (found{"t, process 7 on here", "t, process 8 on here"}));
  EXPECT_EQ(labels({file_of(7, 0, 2), file_of(8, 1, 2), file_of(3, 2, 4)}),
            (found{"t, process 7 on here with rank 0 of 2", "t, process 3 on here with rank 2 of 4"}))
      << "a job of four ranks was here before";
}

TEST(run, a_damaged_description_costs_names_and_not_the_run) {
  std::vector<trace::trace_data> files;
  files.push_back(file(0, 0));
  files[0].description = R"({"program": 3, "workers": 7, "distances": "no)";
  run const r = merge("t", std::move(files));
  EXPECT_EQ(r.workers.size(), 3u) << "nothing says which track is no worker's";
  EXPECT_EQ(r.program, "");
}

TEST(run, simulated_and_measured_files_are_not_one_run) {
  std::vector<trace::trace_data> files;
  files.push_back(file(0, 0));
  files.push_back(file(1, 0));
  files[1].is_virtual = true;
  EXPECT_THROW(static_cast<void>(merge("t", std::move(files))), usage_error);
}

TEST(run, a_part_of_a_run_keeps_what_workers_were_doing_when_it_began) {
  run const part = cut(invented({{at(0, {.what = kind::working}), at(50, {.what = kind::idling}),
                                  at(70, {.what = kind::sleeping}), at(100, {.what = kind::working})}}),
                       60, 90);
  EXPECT_EQ(part.length_ns, 30u);
  ASSERT_EQ(part.workers[0].events.size(), 2u);
  EXPECT_EQ(part.workers[0].events[0].what, kind::idling);
  EXPECT_EQ(part.workers[0].events[0].ticks, 0u);
  EXPECT_EQ(part.workers[0].events[1].ticks, 10u);
}

}}  // namespace skua::cli::traced
