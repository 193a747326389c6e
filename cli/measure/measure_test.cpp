// SPDX-License-Identifier: MIT
// Properties of rounds and rows, shown with an app whose times and answers the test decides.
#include "cli/measure/measure.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cli/measure/results.hpp"
#include "cli/text/interrupt.hpp"

namespace skua::cli {
namespace {

/// Counts its runs; a run may be told to leave a wrong answer.
class scripted_app final : public apps::app {
 public:
  [[nodiscard]] std::string_view name() const override { return "scripted"; }
  [[nodiscard]] std::string_view about() const override { return "for tests"; }
  [[nodiscard]] std::vector<apps::option> options() override { return {}; }
  void prepare() override {}
  void reset() override {
    EXPECT_FALSE(fresh_) << "reset twice without a run";
    fresh_ = true;
    answer_ = 0;
  }
  void run_skua(pool&) override { run(true); }
  [[nodiscard]] std::string wrong() override { return answer_ == 42 ? "" : "scripted: got another number"; }
  [[nodiscard]] apps::json_value facts() const override { return {{"answer", answer_}}; }

  void run(bool right) {
    EXPECT_TRUE(fresh_) << "a run without a reset";
    fresh_ = false;
    answer_ = right ? 42 : 7;
  }

 private:
  bool fresh_ = false;
  int answer_ = 0;
};

runner scripted(std::string name, unsigned workers, bool is_peer, std::function<void(scripted_app&)> run) {
  return {
      .name = std::move(name), .workers = workers, .is_serial = false, .is_peer = is_peer, .run = [run](apps::app& a) {
        run(dynamic_cast<scripted_app&>(a));
      }};
}

json row_json(row const& r) { return report_of({&r, 1}).rows().front(); }

void right(scripted_app& a) { a.run(true); }
void ignore(unsigned, unsigned, runner const&) {}

record with_times(std::vector<double> times) {
  record r;
  r.times_s = std::move(times);
  return r;
}

TEST(measure_rounds, every_runner_runs_once_per_round_in_an_order_that_changes_and_depends_on_the_seed_only) {
  std::vector<runner> runners;
  for (char const* name : {"a", "b", "c", "d", "e"}) runners.push_back(scripted(name, 1, false, right));
  auto const order_of = [&](std::uint64_t seed) {
    scripted_app app;
    std::string order;
    auto const came = measure_rounds(app, runners, {.warm_up_rounds = 2, .rounds = 6, .seed = seed},
                                     [&](unsigned, unsigned, runner const& next) { order += next.name; });
    for (record const& r : came.records) EXPECT_EQ(r.times_s.size(), 6U);
    EXPECT_EQ(came.runs, 40U);
    return order;
  };
  std::string const order = order_of(1);
  ASSERT_EQ(order.size(), 40U);
  std::vector<std::string> rounds;
  for (std::size_t at = 0; at < order.size(); at += 5) {
    std::string round = order.substr(at, 5);
    rounds.push_back(round);
    std::ranges::sort(round);
    EXPECT_EQ(round, "abcde");
  }
  EXPECT_NE(std::ranges::count(rounds, rounds[0]), static_cast<long>(rounds.size())) << "the order never changes";
  EXPECT_EQ(order, order_of(1));
  EXPECT_NE(order, order_of(2));
}

TEST(measure_rounds, without_a_number_of_rounds_the_least_is_kept_even_over_budget_and_the_most_even_below) {
  std::vector<runner> const runners{scripted("a", 1, false, right)};
  scripted_app app;
  measurement_plan plan{
      .warm_up_rounds = 0, .least_rounds = 3, .most_rounds = 7, .budget = std::chrono::duration<double>(0)};
  EXPECT_EQ(measure_rounds(app, runners, plan, ignore).records[0].times_s.size(), 3U);
  plan.budget = std::chrono::hours(1);
  EXPECT_EQ(measure_rounds(app, runners, plan, ignore).records[0].times_s.size(), 7U);
}

TEST(measure_rounds, progress_counts_the_runs_of_all_rounds) {
  std::vector<runner> const runners{scripted("a", 1, false, right), scripted("b", 1, false, right)};
  scripted_app app;
  unsigned runs = 0;
  auto const came = measure_rounds(app, runners, {.rounds = 4}, [&](unsigned done, unsigned all, runner const&) {
    EXPECT_EQ(done, runs++);
    EXPECT_EQ(all, 10U);
  });
  EXPECT_EQ(came.runs, 10U);
}

TEST(measure_rounds, an_interrupt_leaves_the_complete_rounds_and_drops_the_runs_of_the_next_one) {
  std::vector<runner> const runners{scripted("a", 1, false, right), scripted("b", 1, false, right),
                                    scripted("c", 1, false, right)};
  for (unsigned const stop_before : {6U, 7U, 8U, 9U, 14U}) {  // a round to warm up, and three runs in each
    scripted_app app;
    auto const came = measure_rounds(app, runners, {.rounds = 4}, [&](unsigned done, unsigned, runner const&) {
      if (done == stop_before) throw interruption{};
    });
    EXPECT_EQ(came.rounds, stop_before / 3 - 1);
    EXPECT_EQ(came.planned_rounds, 4U);
    for (record const& r : came.records) EXPECT_EQ(r.times_s.size(), came.rounds);
  }
}

TEST(measure_rounds, an_interrupt_before_a_timed_round_is_complete_leaves_nothing) {
  std::vector<runner> const runners{scripted("a", 1, false, right), scripted("b", 1, false, right)};
  for (unsigned const stop_before : {0U, 1U, 2U, 3U}) {
    scripted_app app;
    auto const stop = [&](unsigned done, unsigned, runner const&) {
      if (done == stop_before) throw interruption{};
    };
    EXPECT_THROW(static_cast<void>(measure_rounds(app, runners, {.rounds = 4}, stop)), interruption);
  }
}

TEST(measure_rounds, a_wrong_answer_in_a_dropped_run_is_told_all_the_same) {
  int run = 0;
  std::vector<runner> const runners{scripted("liar", 1, false, [&](scripted_app& a) { a.run(run++ != 2); }),
                                    scripted("honest", 1, false, right)};
  scripted_app app;
  bool lied = false;
  auto const came = measure_rounds(app, runners, {.rounds = 4}, [&](unsigned, unsigned, runner const&) {
    if (lied) throw interruption{};
    lied = run == 3;
  });
  EXPECT_EQ(wrong_answers(rows_of(runners, came.records)).size(), 1U);
}

TEST(measure_rounds, one_wrong_answer_among_right_ones_is_found_and_named_even_in_the_warm_up) {
  for (int const wrong_run : {0, 1, 4}) {
    int run = 0;
    std::vector<runner> const runners{scripted("honest", 1, false, right),
                                      scripted("liar", 2, true, [&](scripted_app& a) { a.run(run++ != wrong_run); })};
    scripted_app app;
    auto const came = measure_rounds(app, runners, {.warm_up_rounds = 1, .rounds = 4}, ignore);
    auto const rows = rows_of(runners, came.records);
    EXPECT_EQ(row_json(rows[0])["verified"], true);
    EXPECT_EQ(row_json(rows[1])["verified"], false);
    EXPECT_EQ(wrong_answers(rows),
              std::vector<std::string>{"liar with 2 workers gave 1 wrong answer: scripted: got another number"});
    EXPECT_NE(report_of(rows).text().find("NO"), std::string::npos);
  }
}

TEST(measure_once, what_was_not_checked_is_not_called_verified) {
  scripted_app app;
  record r;
  measure_once(app, scripted("liar", 1, false, [](scripted_app& a) { a.run(false); }), false, true, r);
  runner const who = scripted("liar", 1, false, right);
  EXPECT_TRUE(row_json({.who = &who, .what = &r})["verified"].is_null());
}

TEST(record, the_median_is_the_middle_or_the_mean_of_the_two_in_the_middle) {
  EXPECT_DOUBLE_EQ(with_times({3, 1, 2}).median_s(), 2);
  EXPECT_DOUBLE_EQ(with_times({4, 1, 3, 2}).median_s(), 2.5);
  EXPECT_DOUBLE_EQ(with_times({5}).median_s(), 5);
  EXPECT_DOUBLE_EQ(with_times({3, 1, 2}).min_s(), 1);
  EXPECT_DOUBLE_EQ(with_times({3, 1, 2}).max_s(), 3);
}

TEST(rows, speed_up_is_over_serial_and_ratio_to_the_best_parallel_peer_with_as_many_workers) {
  auto serial = scripted("serial", 1, false, right);
  serial.is_serial = true;
  std::vector<runner> const runners{serial, scripted("ours", 1, false, right), scripted("slow", 1, true, right),
                                    scripted("fast", 1, true, right), scripted("ours", 2, false, right)};
  std::vector<record> const records{with_times({1}), with_times({2}), with_times({20}), with_times({8}),
                                    with_times({0.5})};
  auto const rows = rows_of(runners, records);
  EXPECT_DOUBLE_EQ(*rows[1].speedup_over_serial, 0.5);
  EXPECT_DOUBLE_EQ(*rows[1].ratio_to_best_peer, 4);  // against fast, not slow, and not against serial
  EXPECT_DOUBLE_EQ(*rows[2].ratio_to_best_peer, 0.4);
  EXPECT_DOUBLE_EQ(*rows[3].ratio_to_best_peer, 1);
  EXPECT_DOUBLE_EQ(*rows[4].speedup_over_serial, 2);
  EXPECT_FALSE(rows[4].ratio_to_best_peer.has_value());  // no peer has two workers
  EXPECT_TRUE(row_json(rows[4])["ratio_to_best_peer"].is_null());
}

TEST(rows, the_json_of_a_row_has_exactly_the_promised_keys_in_their_order) {
  runner const who = scripted("a", 1, false, right);
  record const what = with_times({1});
  std::vector<std::string> keys;
  json const one = row_json({.who = &who, .what = &what});
  for (auto const& [key, value] : one.items()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"runner", "workers", "median_s", "verified", "simulated", "min_s", "max_s",
                                            "runs", "speedup_over_serial", "ratio_to_best_peer", "facts"}));
}

TEST(wait_until_quiet, returns_when_this_process_rests_and_also_when_it_never_does) {
  EXPECT_TRUE(wait_until_quiet());
  std::atomic<bool> stop{false};
  std::thread spinning([&] {
    while (!stop.load(std::memory_order_relaxed)) {}
  });
  // No claim about the answer: on a busy machine the spinning thread may get no processor.
  static_cast<void>(wait_until_quiet());
  stop.store(true, std::memory_order_relaxed);
  spinning.join();
}

}  // namespace
}  // namespace skua::cli
