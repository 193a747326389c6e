// SPDX-License-Identifier: MIT
// Missing time is neither idle nor asleep: every figure leaves it out, and words say how much it is.
#include "cli/report/gaps.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "cli/report/findings.hpp"
#include "cli/report/invented_test.hpp"
#include "cli/report/results.hpp"

namespace skua::cli::traced { namespace {

/// Two workers that work all the time, 1000 ns.
run two_busy() {
  return invented({{at(0, {.what = kind::working}), at(1000, {.what = kind::scheduling})},
                   {at(0, {.what = kind::working}), at(1000, {.what = kind::scheduling})}});
}

std::vector<std::string> keys(std::vector<gap> const& all) {
  std::vector<std::string> found;
  for (gap const& g : all) found.push_back(g.key);
  return found;
}
using found = std::vector<std::string>;

json only_run(run const& r) { return report_of({r})["runs"][0]; }

TEST(gaps, a_whole_trace_has_none) {
  run const r = two_busy();
  EXPECT_EQ(keys(gaps_of(r, concurrency_of(replay(r)))), found{});
  EXPECT_TRUE(r.is_whole());
  EXPECT_EQ(only_run(r)["known_s"], only_run(r)["length_s"]);
}

TEST(gaps, a_track_that_the_file_lacks_is_unknown_and_no_worker_asleep) {
  run r = two_busy();
  r.workers[1].events.clear();
  r.workers[1].known_to_ns = 0;
  r.cut_bytes = 4096;
  concurrency const c = concurrency_of(replay(r));
  EXPECT_EQ(c.known_ns(), 0u);
  EXPECT_EQ(c.unknown_ns, 1000u);
  EXPECT_EQ(keys(gaps_of(r, c)), (found{"partly_known", "cut"}));
  json const said = only_run(r);
  EXPECT_TRUE(said["mean_busy"].is_null());
  EXPECT_EQ(said["findings"], json::array()) << said["findings"].dump();
  EXPECT_EQ(said["times"]["asleep_s"], 0);
}

TEST(gaps, overwritten_time_counts_as_nobodys) {
  run r = two_busy();
  r.workers[1].events.front().ticks = 900;
  r.workers[1].lost = 5;
  concurrency const c = concurrency_of(replay(r));
  EXPECT_EQ(c.unknown_ns, 900u);
  EXPECT_DOUBLE_EQ(c.mean(), 2);
  EXPECT_DOUBLE_EQ(c.share_with(0), 0);
  EXPECT_EQ(c.tail_ns, 0u);
  std::vector<gap> const all = gaps_of(r, c);
  ASSERT_EQ(keys(all), (found{"partly_known", "overwritten"}));
  EXPECT_NE(all[0].text.find("10.0%"), std::string::npos) << all[0].text;
  EXPECT_EQ(only_run(r)["findings"], json::array());
}

TEST(gaps, a_tail_is_none_where_the_end_is_unknown) {
  run r = invented({{at(0, {.what = kind::working}), at(1000, {.what = kind::scheduling})},
                    {at(0, {.what = kind::working}), at(500, {.what = kind::sleeping})}});
  EXPECT_EQ(concurrency_of(replay(r)).tail_ns, 500u);
  r.workers[1].known_to_ns = 500;
  concurrency const c = concurrency_of(replay(r));
  EXPECT_EQ(c.tail_ns, 0u);
  EXPECT_DOUBLE_EQ(c.mean(), 2);
}

TEST(gaps, few_tasks_are_no_finding_if_some_are_missing) {
  run_numbers n;
  n.workers = 8;
  n.work = 0.6;
  n.idle = 0.4;
  n.starved = 0.4;
  n.tasks = 20;
  n.attempts = 10;
  n.steals = 10;
  EXPECT_EQ(findings_of(n).size(), 1u);
  n.is_whole = false;
  EXPECT_EQ(findings_of(n).size(), 0u);
}

TEST(gaps, a_part_of_a_run_that_is_known_has_none) {
  run r = two_busy();
  r.workers[1].events.insert(r.workers[1].events.begin() + 1, at(600, {.what = kind::stolen}));
  r.workers[1].events.front().ticks = 500;
  r.workers[1].lost = 5;
  r.workers[0].known_to_ns = 900;
  run const part = cut(r, 550, 850);
  EXPECT_EQ(keys(gaps_of(part, concurrency_of(replay(part)))), found{});
  run const before = cut(r, 0, 600);
  EXPECT_EQ(concurrency_of(replay(before)).unknown_ns, 500u);
  run const after = cut(r, 800, 1000);
  EXPECT_EQ(concurrency_of(replay(after)).unknown_ns, 100u);
}

}}  // namespace skua::cli::traced
