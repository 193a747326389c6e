// SPDX-License-Identifier: MIT
// Breakdowns add up, cover the timed runs, and compare with one worker of the same policy and with serial.
#include "cli/measure/breakdown.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/measure/measure.hpp"
#include "cli/measure/results.hpp"

namespace skua::cli {
namespace {

class no_app final : public apps::app {
 public:
  [[nodiscard]] std::string_view name() const override { return "none"; }
  [[nodiscard]] std::string_view about() const override { return "for tests"; }
  [[nodiscard]] std::vector<apps::option> options() override { return {}; }
  void prepare() override {}
  void reset() override {}
  void run_skua(pool&) override {}
  [[nodiscard]] std::string wrong() override { return ""; }
  [[nodiscard]] apps::json_value facts() const override { return {}; }
};

worker_counters spent(std::uint64_t work, std::uint64_t scheduling, std::uint64_t idle) {
  worker_counters c;
  c.work_ns = work;
  c.scheduling_ns = scheduling;
  c.idle_ns = idle;
  return c;
}

breakdown run_of(double elapsed, std::vector<spent_times> workers) {
  return {.elapsed_s = elapsed, .workers = std::move(workers)};
}

runner policy(std::string name, unsigned workers) {
  return {.name = std::move(name),
          .workers = workers,
          .run = [](apps::app&) {},
          .counters = [](auto) { return std::vector<worker_counters>{}; }};
}

TEST(breakdown, is_what_lies_between_two_readings) {
  std::vector<worker_counters> const before{spent(1'000, 10, 100), spent(0, 0, 7)};
  std::vector<worker_counters> const after{spent(501'000, 200'010, 300'100), spent(1'000'000, 0, 7)};
  breakdown const it = between(before, after, 1e-3);
  EXPECT_DOUBLE_EQ(it.workers[0].work_s, 5e-4);
  EXPECT_DOUBLE_EQ(it.workers[0].scheduling_s, 2e-4);
  EXPECT_DOUBLE_EQ(it.workers[0].idle_s, 3e-4);
  EXPECT_DOUBLE_EQ(it.all().work_s, 1.5e-3);
  EXPECT_NEAR(it.unaccounted(), 0, 1e-12);
}

TEST(breakdown, tells_what_is_in_no_part_or_in_two) {
  EXPECT_DOUBLE_EQ(run_of(1, {{.work_s = 0.5, .scheduling_s = 0.25, .idle_s = 0}}).unaccounted(), 0.25);
  EXPECT_DOUBLE_EQ(run_of(1, {{.work_s = 1, .scheduling_s = 0.25, .idle_s = 0}}).unaccounted(), 0.25);
  EXPECT_DOUBLE_EQ(usual(std::vector{run_of(1, {{1, 0, 0}}), run_of(1, {{0.9, 0, 0}})}).unaccounted, 0.1);
}

TEST(breakdown, covers_the_timed_runs_and_nothing_else) {
  // Half of all time is work, a quarter scheduling, a quarter idling, since the clock began.
  auto const reading = [](std::chrono::steady_clock::time_point at) {
    auto const ns = static_cast<std::uint64_t>(at.time_since_epoch().count());
    return std::vector{spent(ns / 2, ns / 4, ns - ns / 2 - ns / 4), spent(0, 0, ns)};
  };
  runner who = policy("half", 2);
  who.counters = reading;
  no_app app;
  record r;
  measure_once(app, who, true, false, r);
  EXPECT_TRUE(r.breakdowns.empty()) << "a warm-up is not timed";
  for (int i = 0; i < 5; ++i) measure_once(app, who, true, true, r);
  ASSERT_EQ(r.breakdowns.size(), r.times_s.size());
  for (std::size_t i = 0; i < r.times_s.size(); ++i) {
    EXPECT_EQ(r.breakdowns[i].elapsed_s, r.times_s[i]);
    EXPECT_NEAR(r.breakdowns[i].all().sum_s(), 2 * r.times_s[i], 1e-9);
  }
}

TEST(breakdown, of_several_runs_is_the_median_of_every_part) {
  auto const it = usual(std::vector{run_of(1, {{0.5, 0.2, 0.3}, {1, 0, 0}}), run_of(1, {{0.9, 0.1, 0}, {0.4, 0, 0.6}}),
                                    run_of(1, {{0.7, 0, 0.3}, {0.6, 0, 0.4}})});
  EXPECT_DOUBLE_EQ(it.workers[0].work_s, 0.7);
  EXPECT_DOUBLE_EQ(it.workers[0].scheduling_s, 0.1);
  EXPECT_DOUBLE_EQ(it.workers[1].idle_s, 0.4);
  EXPECT_DOUBLE_EQ(it.all.work_s, 1.3);
}

TEST(breakdown, compares_with_one_worker_of_the_same_policy_and_with_serial) {
  runner serial = policy("serial", 1);
  serial.is_serial = true;
  serial.counters = nullptr;
  std::vector<runner> const who{serial, policy("a", 1), policy("a", 2), policy("b", 2)};
  std::vector<record> what(4);
  what[0].times_s = {1};
  what[1] = {.times_s = {1.1}, .breakdowns = {run_of(1.1, {{1.1, 0, 0}})}, .first_error = {}, .facts = {}};
  what[2] = {
      .times_s = {0.7}, .breakdowns = {run_of(0.7, {{0.7, 0, 0}, {0.62, 0.03, 0.05}})}, .first_error = {}, .facts = {}};
  what[3] = what[2];
  auto const rows = rows_of(who, what);
  EXPECT_NEAR(*inflation(rows[2], rows), 1.32 / 1.1, 1e-12);
  EXPECT_NEAR(*overhead(rows[2], rows), 1.1, 1e-12);
  EXPECT_FALSE(inflation(rows[3], rows)) << "policy b was not run on one worker";
  EXPECT_FALSE(inflation(rows[0], rows));

  std::vector<std::string> keys;
  json const shown = breakdown_json(rows[2], rows);
  for (auto const& [key, value] : shown.items()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"work_s", "scheduling_s", "idle_s", "unaccounted", "inflation_over_one",
                                            "overhead", "per_worker"}));
  EXPECT_EQ(shown["per_worker"].size(), 2U);
  EXPECT_EQ(shown["per_worker"][1]["worker"], 1);
  EXPECT_TRUE(breakdown_json(rows[3], rows)["inflation_over_one"].is_null());
  std::string const table = breakdown_text(rows);
  EXPECT_NE(table.find("1.20"), std::string::npos) << table;
  EXPECT_EQ(table.find("serial"), std::string::npos) << table;
}

}  // namespace
}  // namespace skua::cli
