// SPDX-License-Identifier: MIT
// What `skua top` makes of two snapshots of a pool: rates, and text that fits the terminal.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "cli/top/rates.hpp"
#include "cli/top/sample.hpp"
#include "skua/machine/threads/face/pool.hpp"

namespace {

using namespace skua::cli::top;
using skua::runtime::activity;
using skua::runtime::pool_snapshot;

constexpr std::uint64_t second = 1'000'000'000;

/// A pool that was opened at 1 s, as it is at `at_s`, with idle workers.
pool_snapshot pool_of(std::size_t workers, std::uint64_t at_s) {
  pool_snapshot snapshot{.at_ns = at_s * second, .opened_ns = second, .has_lanes = true, .regions = {}, .workers = {}};
  snapshot.workers.resize(workers);
  for (auto& w : snapshot.workers) w.counters.idle_ns = (at_s - 1) * second;
  return snapshot;
}

sample sample_of(std::size_t workers) {
  pool_snapshot snapshot = pool_of(workers, 3);
  snapshot.regions.push_back({.number = 1, .policy = "adws", .workers = static_cast<std::uint32_t>(workers)});
  auto rates = rates_between(since_opened(snapshot), snapshot);
  return {.process = {.number = 77, .began = 1},
          .command = "./heat --n 4096",
          .pools = {{.snapshot = std::move(snapshot), .seconds = 2, .workers = std::move(rates)}}};
}

TEST(top, shares_and_rates_are_those_of_the_time_between_two_looks) {
  pool_snapshot before = pool_of(1, 3);
  pool_snapshot after = pool_of(1, 5);
  auto& c = after.workers[0].counters;
  c.work_ns = second;
  c.scheduling_ns = second / 2;
  c.idle_ns = before.workers[0].counters.idle_ns + second / 2;
  c.tasks = 10;
  c.forks = 400;
  c.attempts = 12;
  c.steals[0] = 3;
  c.steals[2] = 1;
  after.workers[0].now = activity::scheduling;
  auto const w = rates_between(before, after).at(0);
  EXPECT_EQ(w.now, state::searching);
  EXPECT_DOUBLE_EQ(w.working, 0.5);
  EXPECT_DOUBLE_EQ(w.scheduling, 0.25);
  EXPECT_DOUBLE_EQ(w.idle, 0.25);
  EXPECT_DOUBLE_EQ(w.tasks, 5);
  EXPECT_DOUBLE_EQ(w.forks.value(), 200);
  EXPECT_DOUBLE_EQ(w.steals, 2);
  EXPECT_DOUBLE_EQ(w.failed_steals, 4);
}

TEST(top, a_call_that_began_before_anybody_looked_counts_as_work_while_it_lasts) {
  pool_snapshot before = pool_of(2, 3);
  pool_snapshot after = pool_of(2, 4);
  for (auto* snapshot : {&before, &after}) snapshot->workers[0].calls = 7;
  auto const both = rates_between(before, after);
  EXPECT_EQ(both[0].now, state::working);
  EXPECT_DOUBLE_EQ(both[0].working, 1);
  EXPECT_EQ(both[1].now, state::asleep);
  EXPECT_DOUBLE_EQ(both[1].idle, 1);
  after.workers[0].calls = 9;  // another call
  EXPECT_DOUBLE_EQ(rates_between(before, after)[0].working, 0);
}

TEST(top, a_counter_that_seems_to_shrink_counts_as_unchanged) {
  pool_snapshot before = pool_of(1, 3);
  before.workers[0].counters.forks = 100;
  pool_snapshot after = pool_of(1, 4);
  after.workers[0].counters.forks = 90;
  EXPECT_DOUBLE_EQ(rates_between(before, after).at(0).forks.value(), 0);
}

TEST(top, a_sum_adds_rates_and_averages_shares) {
  std::vector<worker_rates> workers(4);
  for (auto& w : workers) w.tasks = 5;
  workers[0].working = 1;
  workers[0].idle = 0;
  workers[0].lanes.spawned = 3;
  auto const all = sum_of(workers);
  EXPECT_DOUBLE_EQ(all.tasks, 20);
  EXPECT_DOUBLE_EQ(all.working, 0.25);
  EXPECT_DOUBLE_EQ(all.idle, 0.75);
  EXPECT_EQ(all.lanes.spawned, 3U);
  EXPECT_DOUBLE_EQ(sum_of({}).idle, 1);
}

TEST(top, lines_fit_the_terminal_and_scrolling_shows_every_worker) {
  sample const s = sample_of(64);
  constexpr screen_size size{.columns = 60, .rows = 20};
  std::vector<bool> seen(64);
  std::size_t first = 0;
  for (std::size_t step = 0; step < 100; ++step) {
    first = step;
    auto const lines = lines_of(s, size, first);
    EXPECT_EQ(lines.size(), size.rows);
    for (std::string const& line : lines) {
      EXPECT_LE(line.size(), size.columns);
      if (line.find("asleep") != std::string::npos) seen[std::stoul(line)] = true;
    }
  }
  EXPECT_LT(first, 64U) << "the last worker stays on the last line";
  EXPECT_EQ(std::accumulate(seen.begin(), seen.end(), 0), 64);
}

TEST(top, eighty_columns_show_everything_but_where_the_workers_are) {
  sample const s = sample_of(1);
  std::size_t first = 0;
  auto const narrow = lines_of(s, {.columns = 80, .rows = 0}, first);
  EXPECT_EQ(narrow[3], "worker  state   working       task/s  fork/s  steal/s  fail/s  tasks");
  EXPECT_TRUE(narrow[4].ends_with("      0")) << narrow[4];
  EXPECT_NE(lines_of(s, {.columns = 120, .rows = 0}, first)[3].find("place  processor"), std::string::npos);
}

TEST(top, every_size_of_a_terminal_gets_its_lines) {
  sample const s = sample_of(3);
  for (std::size_t rows = 1; rows < 12; ++rows) {
    for (std::size_t columns = 1; columns < 140; columns += 7) {
      std::size_t first = 5;
      auto const lines = lines_of(s, {.columns = columns, .rows = rows}, first);
      EXPECT_LE(lines.size(), rows);
      for (std::string const& line : lines) EXPECT_LE(line.size(), columns);
    }
  }
}

TEST(top, a_character_of_several_bytes_is_not_cut) {
  sample s = sample_of(1);
  s.command = "\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4";
  std::size_t first = 0;
  for (std::size_t columns = 12; columns < 30; ++columns) {
    std::string const line = lines_of(s, {.columns = columns, .rows = 9}, first)[0];
    EXPECT_EQ(line.size() % 2, std::string("process 77: ").size() % 2) << line;
  }
}

TEST(top, unknown_lengths_are_shown_as_unknown) {
  sample s = sample_of(1);
  s.pools[0].snapshot.has_lanes = false;
  EXPECT_TRUE(json_of(s)["pools"][0]["workers"][0]["queued"].is_null());
  std::size_t first = 0;
  EXPECT_TRUE(lines_of(s, {}, first).back().ends_with("      -")) << lines_of(s, {}, first).back();
}

TEST(top, a_permit_is_shown_while_it_bounds_the_pool) {
  sample s = sample_of(3);
  std::size_t first = 0;
  EXPECT_EQ(lines_of(s, {}, first)[1].find("permitted"), std::string::npos);
  EXPECT_TRUE(json_of(s)["pools"][0]["permitted_workers"].is_null());
  s.pools[0].snapshot.permitted = 2;
  EXPECT_NE(lines_of(s, {}, first)[1].find("3 workers, 2 permitted, open for"), std::string::npos);
  EXPECT_EQ(json_of(s)["pools"][0]["permitted_workers"], 2);
}

TEST(top, pools_that_were_opened_or_closed_are_looked_for_once_a_second) {
  using namespace std::chrono_literals;
  std::chrono::steady_clock::time_point now{};
  auto const self = skua::runtime::find_process(::getpid());
  observer of(self, [&now] { return now; });
  std::size_t const before = of.next().pools.size();
  std::optional<skua::pool> opened(skua::pool_options{.workers = 1});
  if (skua::runtime::pools_of(self).size() == before) GTEST_SKIP() << "the system shares no memory";
  now += 999ms;
  EXPECT_EQ(of.next().pools.size(), before) << "looked before the second was over";
  now += 1ms;
  EXPECT_EQ(of.next().pools.size(), before + 1);
  opened.reset();
  now += 999ms;
  EXPECT_EQ(of.next().pools.size(), before + 1) << "what it has mapped can be read still";
  now += 1ms;
  EXPECT_EQ(of.next().pools.size(), before);
}

TEST(top, a_process_without_a_pool_says_so) {
  sample s = sample_of(1);
  s.pools.clear();
  std::size_t first = 3;
  EXPECT_EQ(lines_of(s, {}, first),
            (std::vector<std::string>{"process 77: ./heat --n 4096", "It has no pool at present."}));
}

}  // namespace
