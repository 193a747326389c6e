// SPDX-License-Identifier: MIT
// Trials: what they find, what they may cost, when they begin again. automatic.md
#include "skua/policy/automatic/call_site.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include "skua/parts/base/dice.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace automatic { namespace {

constexpr std::size_t all = 3;

/// A program of several groups per iteration, each with a time under each scheduler.
struct program {
  struct group {
    std::uint64_t shape;
    std::array<double, 3> ns;
  };
  std::vector<group> groups;
  double noise = 0;  ///< each time is up to this share longer
  runtime::dice roll{1};

  double of(group const& g, std::size_t scheduler) {
    return g.ns[scheduler] * (1 + noise * static_cast<double>(roll.below(1000)) / 1000);
  }
};

struct course {
  double took = 0;
  double least = 0;  ///< if the best had been known from the beginning
};

course run(call_site& s, program& p, int iterations) {
  std::array<double, 3> sums{};
  for (auto const& g : p.groups) {
    for (std::size_t i = 0; i < 3; ++i) sums[i] += g.ns[i];
  }
  std::size_t const best = static_cast<std::size_t>(std::ranges::min_element(sums) - sums.begin());
  course c;
  for (int i = 0; i < iterations; ++i) {
    for (auto const& g : p.groups) {
      std::size_t const under = s.next();
      double const ns = p.of(g, under);
      s.took(g.shape, under, ns, all);
      c.took += ns;
      c.least += p.of(g, best);
    }
  }
  return c;
}

TEST(call_site, keeps_the_first_choice_while_it_is_the_best_and_loses_two_percent_at_most) {
  for (double const factor : {1.01, 1.1, 1.5, 3.0, 20.0}) {
    call_site s;
    program p{.groups = {{1, {1000, 1000 * factor, 1000 * factor}}}};
    course const c = run(s, p, 20'000);
    EXPECT_EQ(s.best(), 0U) << factor;
    EXPECT_EQ(s.why(), call_site::evidence::first);
    EXPECT_GE(s.trials(), 2U) << "each of the others was tried";
    EXPECT_LE(c.took, 1.021 * c.least) << factor;
  }
}

TEST(call_site, finds_a_better_one) {
  for (double const factor : {0.95, 0.7, 0.3}) {
    call_site s;
    program p{.groups = {{1, {1000, 1200, 1000 * factor}}}};
    run(s, p, 20'000);
    EXPECT_EQ(s.best(), 2U) << factor;
    EXPECT_EQ(s.why(), call_site::evidence::measured);
    EXPECT_NEAR(s.gain(), factor, 1e-6);
  }
}

TEST(call_site, compares_sums_over_groups_that_differ) {
  // Scheduler 1 is better at the short group and worse at the long one.
  call_site s;
  program p{.groups = {{1, {100, 50, 100}}, {2, {1000, 1300, 1000}}, {3, {10, 10, 10}}}};
  run(s, p, 20'000);
  EXPECT_EQ(s.best(), 0U);
  // And here the long one decides the other way.
  call_site t;
  program q{.groups = {{1, {100, 150, 100}}, {2, {1000, 700, 1000}}, {3, {10, 10, 10}}}};
  run(t, q, 20'000);
  EXPECT_EQ(t.best(), 1U);
}

TEST(call_site, noise_makes_it_neither_restless_nor_expensive) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    call_site s;
    program p{.groups = {{1, {1000, 1000, 1000}}}, .noise = 0.3, .roll = runtime::dice(seed)};
    course const c = run(s, p, 20'000);
    EXPECT_LE(c.took, 1.03 * c.least) << "seed " << seed;
  }
}

TEST(call_site, no_trial_before_its_price_is_within_the_budget) {
  call_site s;
  program p{.groups = {{1, {1000, 2000, 2000}}}};
  run(s, p, 100);
  EXPECT_EQ(s.trials(), 0U);
  EXPECT_EQ(s.next(), 0U);
}

TEST(call_site, a_program_that_changes_is_tried_again) {
  call_site s;
  program p{.groups = {{1, {1000, 2000, 2000}}}};
  run(s, p, 5'000);
  std::uint32_t const before = s.trials();
  EXPECT_EQ(s.best(), 0U);
  program q{.groups = {{1, {9000, 4000, 9000}}}};
  run(s, q, 5'000);
  EXPECT_GT(s.trials(), before);
  EXPECT_EQ(s.best(), 1U);
}

TEST(call_site, a_trial_that_is_far_worse_is_broken_off) {
  call_site s;
  std::uint64_t others = 0;
  for (int i = 0; i < 1000; ++i) {
    std::size_t const under = s.next();
    others += under != 0;
    s.took(1, under, under == 0 ? 1000 : 100'000, all);
  }
  EXPECT_LE(others, 2U);
}

TEST(call_site, an_experts_rule_needs_no_trial) {
  call_site s;
  s.prefer(1, call_site::evidence::spawns);
  EXPECT_EQ(s.next(), 1U);
  EXPECT_EQ(s.why(), call_site::evidence::spawns);
}

constexpr std::array<std::string_view, all> names{"adws", "random", "hierarchical"};

TEST(call_site, a_choice_says_since_when_on_which_evidence_and_at_which_price) {
  call_site s;
  program p{.groups = {{1, {1000, 1500, 500}}}};
  run(s, p, 20'000);
  s.lasted(5'000);
  call_choice const c = s.choice(names);
  EXPECT_EQ(c.scheduler, "hierarchical");
  EXPECT_EQ(c.why, evidence::measured);
  EXPECT_EQ(c.changes, 1U);
  EXPECT_EQ(c.since_call, 1U);
  EXPECT_GT(c.since_group, 1U);
  EXPECT_NEAR(c.gain, 0.5, 1e-6);
  EXPECT_EQ(c.groups, 20'000U);
  EXPECT_EQ(c.lost_ns, s.spent());
  ASSERT_EQ(c.shapes.size(), 1U);
  EXPECT_NEAR(c.shapes[0].usual_ns, 500, 1e-6);
  auto const of_random = std::ranges::find(c.others, "random", &call_choice::trials_of::scheduler);
  ASSERT_NE(of_random, c.others.end());
  EXPECT_GT(of_random->ratio, 1.4) << text_of(c);
  EXPECT_EQ(c.trials(), s.trials());
  EXPECT_FALSE(c.is_of_earlier_run());
}

TEST(call_site, a_choice_has_a_line_for_people) {
  call_choice c{
      .call = "solve()", .scheduler = "adws", .calls = 1, .calls_ns = 78'140'000, .groups = 400, .groups_ns = 4e7};
  EXPECT_EQ(text_of(c), "solve(): adws (the first choice) since call 1; 1 call of 78.14 ms, 400 groups; 0 trials");
  c.since_call = 3;
  c.since_group = 31;
  c.calls = 4;
  c.calls_ns = 5.5e9;
  c.why = evidence::measured;
  c.gain = 0.75;
  c.lost_ns = 4e5;
  c.others = {{.scheduler = "random", .trials = 2, .since_change = 2, .ratio = 1.5},
              {.scheduler = "hierarchical", .since_change = 1}};
  EXPECT_EQ(text_of(c),
            "solve(): adws (measured: 0.75 of the time under the last choice) since call 3, group 31; 4 calls of 1.375 "
            "s, 400 "
            "groups; 2 trials lost 1 % of the time (random: 2, the last one took 1.5 times as long)");
  c.call.clear();
  c.earlier_calls = 3;
  EXPECT_TRUE(text_of(c).starts_with(
      "a call: adws (measured: 0.75 of the time under the last choice) since an earlier run; 4 calls"));
}

TEST(call_site, one_that_goes_on_where_it_stopped_does_what_it_would_have_done) {
  for (int stops_after : {1, 10, 200, 3000}) {
    call_site all_along, first;
    program p{.groups = {{1, {1000, 1100, 700}}, {2, {500, 400, 600}}}};
    run(all_along, p, stops_after);
    run(first, p, stops_after);
    if (first.is_on_trial()) continue;  // which is forgotten
    call_site then;
    then.remember(first.choice(names), names);
    EXPECT_EQ(then.choice(names), first.choice(names)) << stops_after;
    run(all_along, p, 10'000);
    run(then, p, 10'000);
    EXPECT_EQ(then.best(), all_along.best());
    EXPECT_LE(then.trials(), all_along.trials() + 1);
  }
}

TEST(call_site, one_that_remembers_begins_with_the_choice_and_tries_less) {
  program p{.groups = {{1, {1000, 2000, 700}}}};
  call_site first;
  run(first, p, 5'000);
  ASSERT_EQ(first.best(), 2U);
  call_site then;
  then.remember(first.choice(names), names);
  EXPECT_EQ(then.next(), 2U);
  std::uint32_t const before = then.trials();
  run(then, p, 1'000);
  call_site fresh;
  run(fresh, p, 1'000);
  EXPECT_LT(then.trials() - before, fresh.trials());
}

TEST(call_site, one_that_remembers_wrongly_notices_that_the_program_has_changed) {
  call_site first;
  program p{.groups = {{1, {1000, 2000, 700}}}};
  run(first, p, 5'000);
  ASSERT_EQ(first.best(), 2U);
  call_site then;
  then.remember(first.choice(names), names);
  program q{.groups = {{1, {1000, 5000, 5000}}}};
  run(then, q, 5'000);
  EXPECT_EQ(then.best(), 0U);
}

TEST(call_site, more_shapes_than_it_knows_do_no_harm) {
  call_site s;
  for (std::uint64_t i = 0; i < 10'000; ++i) s.took(i, s.next(), 1000, all);
  EXPECT_EQ(s.groups(), 10'000U);
  EXPECT_FALSE(std::isnan(s.mean()));
}

TEST(call_site, tiny_calls_are_plain_until_they_are_long) {
  call_site s;
  auto const call = [&](double ns) {
    s.lasted(ns);
    s.prefer_by_length(1, 0);
    return s.next();
  };
  for (int i = 0; i < 15; ++i) EXPECT_EQ(call(1000), 0U);
  EXPECT_EQ(call(20'000), 0U) << "a call that was interrupted";
  for (int i = 0; i < 15; ++i) EXPECT_EQ(call(1000), 0U);
  EXPECT_EQ(call(1000), 1U);
  EXPECT_EQ(s.why(), call_site::evidence::tiny);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(call(i % 4 < 3 ? 50'000 : 1000), 1U);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(call(50'000), 1U);
  EXPECT_EQ(call(50'000), 0U);
  EXPECT_EQ(s.why(), call_site::evidence::first);
}

TEST(call_site, of_tiny_calls_one_in_32_is_timed_and_stands_for_all) {
  call_site s;
  auto const call = [&](double ns) {
    bool const is_timed = s.times_this_call();
    if (is_timed) s.lasted(ns);
    return is_timed;
  };
  int timed = 0;
  for (int i = 0; i < 64; ++i) timed += call(500) ? 1 : 0;
  EXPECT_EQ(timed, 64) << "the first ones all";
  for (int i = 0; i < 800; ++i) timed += call(500) ? 1 : 0;
  EXPECT_EQ(timed, 64 + 800 / 32);
  EXPECT_EQ(s.calls(), 864U);
  EXPECT_DOUBLE_EQ(s.call_ns(), 864 * 500);
  while (!call(50'000)) continue;
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(call(50'000)) << "they are tiny no longer";
}

TEST(call_site, long_calls_are_worth_timing_each_group) {
  call_site s;
  EXPECT_TRUE(s.is_long()) << "nothing is known";
  s.lasted(10'000);
  EXPECT_FALSE(s.is_long());
  s.lasted(1e9);
  EXPECT_TRUE(s.is_long());
}

}}}}}  // namespace skua::v0::policies::automatic
