// SPDX-License-Identifier: MIT
#include "skua/policy/balance/balance_choice.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "skua/parts/base/dice.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace balance { namespace {

constexpr next_start with_stealing{start_of_tasks::retained, true};
constexpr next_start without_stealing{start_of_tasks::retained, false};
constexpr next_start balanced{start_of_tasks::balanced, false};

/// 16 ranks with 20 tasks each, whose mean load is 1 s; a rank is never below its longest task, 0.1 s.
iteration_summary took(double wall_s, double most_s, double change = 0, double balance_s = 0) {
  auto const ns = [](double s) { return static_cast<std::uint64_t>(s * 1e9); };
  return {.ranks = 16,
          .tasks = 320,
          .wall_ns = ns(wall_s),
          .mean_ns = ns(1),
          .most_ns = ns(most_s),
          .longest_ns = ns(0.1),
          .balance_ns = ns(balance_s),
          .change = change};
}

TEST(balance_choice, keeps_what_is_good_enough) {
  balance_choice c;
  for (int i = 0; i < 10; ++i) EXPECT_EQ(c.next(took(1.004, 1.002)), with_stealing);
  EXPECT_NE(c.reason().find("1.004"), std::string::npos) << c.reason();
}

TEST(balance_choice, balances_what_stealing_leaves_uneven_and_then_leaves_it_alone) {
  balance_choice c;
  EXPECT_EQ(c.next(took(1.2, 1.15)), balanced);
  EXPECT_EQ(c.next(took(1.004, 1.003, 0, 0.01)), without_stealing);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(c.next(took(1.004, 1.003)), without_stealing);
}

TEST(balance_choice, balances_again_only_once_imbalance_has_cost_more) {
  balance_choice c;
  EXPECT_EQ(c.next(took(1.2, 1.15)), balanced);
  EXPECT_EQ(c.next(took(1.1, 1.1, 0, 0.5)), without_stealing) << "balancing took half a second";
  int iterations = 1;
  while (c.next(took(1.1, 1.1)) == without_stealing && iterations < 100) ++iterations;
  EXPECT_EQ(iterations, 100) << "half of a tenth is not worth half a second, ever";
  balance_choice cheap;
  EXPECT_EQ(cheap.next(took(1.2, 1.15)), balanced);
  EXPECT_EQ(cheap.next(took(1.1, 1.1, 0, 0.01)).from, start_of_tasks::balanced);
}

TEST(balance_choice, steals_where_times_change) {
  balance_choice c;
  static_cast<void>(c.next(took(1.08, 1.05)));  // no change is known yet
  next_start now = c.next(took(1.3, 1.3, 0.5));
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(now.steals) << i << ": " << c.reason();
    now = c.next(took(1.08, 1.05, 0.5));
  }
}

TEST(balance_choice, balances_at_once_after_a_jump) {
  balance_choice c;
  EXPECT_EQ(c.next(took(1.2, 1.15)), balanced);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(c.next(took(1.006, 1.004, 0.01, i == 0 ? 0.01 : 0)), without_stealing);
  EXPECT_EQ(c.next(took(1.3, 1.3, 0.5)), balanced) << c.reason();
}

TEST(balance_choice, leaves_a_choice_that_was_worse_than_expected) {
  balance_choice c;
  EXPECT_EQ(c.next(took(1.05, 1.001)), without_stealing) << "stealing seems to cost 5 %";
  EXPECT_TRUE(c.next(took(1.5, 1.5)).from == start_of_tasks::balanced || c.chosen().steals) << c.reason();
}

TEST(balance_choice, of_one_rank_never_balances) {
  balance_choice c;
  for (int i = 0; i < 20; ++i) {
    iteration_summary one = took(1.5, 1);
    one.ranks = 1;
    EXPECT_NE(c.next(one).from, start_of_tasks::balanced);
  }
}

// What may come from clocks: no tasks, no time, a wall time below the mean.
TEST(balance_choice, decides_on_any_numbers_and_the_same_on_every_rank) {
  std::uint64_t const seed = 20'261'128;
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  runtime::dice dice(seed);
  for (int program = 0; program < 200; ++program) {
    balance_choice one;
    balance_choice other;
    for (int i = 0; i < 50; ++i) {
      auto const any = [&] { return dice.below(4) == 0 ? std::uint64_t{0} : std::uint64_t{1} << dice.below(50); };
      iteration_summary const s{.ranks = 1U + dice.below(1000),
                                .tasks = any(),
                                .wall_ns = any(),
                                .mean_ns = any(),
                                .most_ns = any(),
                                .longest_ns = any(),
                                .balance_ns = any(),
                                .change = dice.below(2) == 0 ? std::optional<double>() : dice.unit() * 10};
      next_start const chosen = one.next(s);
      EXPECT_EQ(chosen, other.next(s));
      EXPECT_EQ(one.reason(), other.reason());
      EXPECT_EQ(one.reason().find("nan"), std::string::npos) << one.reason();
      EXPECT_TRUE(s.ranks > 1 || chosen.from != start_of_tasks::balanced);
    }
  }
}

}}}}}  // namespace skua::v0::policies::balance
