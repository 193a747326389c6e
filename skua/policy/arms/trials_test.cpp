// SPDX-License-Identifier: MIT
#include "skua/policy/arms/trials.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

namespace skua { inline namespace v0 { namespace policies { namespace arms { namespace {

constexpr partition_id alone{3};
constexpr partition_id team{9};
constexpr std::uint64_t long_task = trials::short_task;

TEST(trials, come_at_most_once_per_period) {
  trials t(2);
  EXPECT_FALSE(t.may_begin(1, trials::period - 1));
  EXPECT_TRUE(t.may_begin(1, trials::period));
  t.begin(1, alone, false, long_task, trials::period);
  EXPECT_FALSE(t.may_begin(1, 2 * trials::period - 1));
  EXPECT_TRUE(t.may_begin(1, 2 * trials::period));
  EXPECT_TRUE(t.may_begin(0, trials::period)) << "rows are independent";
}

TEST(trials, of_a_team_have_several_tasks_and_of_one_worker_a_single_one) {
  trials t(1);
  t.begin(0, alone, false, long_task, 64);
  EXPECT_EQ(t.present(0), std::nullopt);
  t.begin(0, team, true, long_task, 64);
  for (std::uint32_t i = 0; i < trials::tasks_of_team; ++i) {
    EXPECT_EQ(t.present(0), team);
    EXPECT_FALSE(t.counts(0, alone));
    EXPECT_TRUE(t.counts(0, team));
  }
  EXPECT_EQ(t.present(0), std::nullopt);
  EXPECT_FALSE(t.counts(0, team));
  t.begin(0, team, true, long_task, 128);
  t.abandon(0);
  EXPECT_EQ(t.present(0), std::nullopt);
}

TEST(trials, of_a_team_have_one_task_if_tasks_are_short) {
  trials t(1);
  t.begin(0, team, true, trials::short_task - 1, 64);
  EXPECT_TRUE(t.counts(0, team));
  EXPECT_EQ(t.present(0), std::nullopt);
}

TEST(trials, a_loss_is_paid_by_a_hundred_times_its_time) {
  trials t(1);
  t.pay(0, 20'000, 10'000);
  EXPECT_FALSE(t.may_begin(0, 1000));
  t.pay(0, 999'999, 0);
  EXPECT_FALSE(t.may_begin(0, 1000));
  t.pay(0, 1, -5);
  EXPECT_TRUE(t.may_begin(0, 1000));
  t.pay(0, 1'000'000'000, 0);
  t.pay(0, 1, 10);
  EXPECT_FALSE(t.may_begin(0, 1000)) << "time without losses is no credit";
}

TEST(trials, no_loss_delays_the_next_one_for_longer_than_the_longest_pause) {
  trials t(1);
  t.pay(0, 5'000'000'000, 5e9);
  t.pay(0, 1, 5e9);
  t.pay(0, trials::longest_pause - 1, 0);
  EXPECT_FALSE(t.may_begin(0, 1000));
  t.pay(0, 1, 0);
  EXPECT_TRUE(t.may_begin(0, 1000));
}

/// How long trials pause now, in nanoseconds.
std::uint64_t pause_of(trials& t) {
  std::uint64_t ns = 0;
  for (; !t.may_begin(0, 1000); ns += 1'000'000) t.pay(0, 1'000'000, 0);
  return ns;
}

TEST(trials, pauses_double_with_every_late_member_and_halve_in_calm) {
  trials t(1);
  constexpr std::uint64_t usual = 50'000;
  EXPECT_EQ(t.note_team(0, usual * trials::late_factor, usual), trials::team_was::punctual);
  EXPECT_EQ(t.note_team(0, 250'000, usual), trials::team_was::late);
  EXPECT_TRUE(t.may_begin(0, 1000)) << "that was a wake-up";
  for (std::uint64_t const pause : {10U, 20U, 40U, 80U, 80U}) {
    EXPECT_EQ(t.note_team(0, 4'000'000, usual), trials::team_was::too_late);
    EXPECT_EQ(pause_of(t), pause * 1'000'000);
  }
  auto const calm = [&] {
    for (std::uint64_t ns = 0; ns < trials::calm_period; ns += usual) t.note_team(0, usual, usual);
  };
  calm();
  calm();
  t.note_team(0, 4'000'000, usual);
  EXPECT_EQ(pause_of(t), 40'000'000U);
  for (int i = 0; i < 20; ++i) calm();
  t.note_team(0, 4'000'000, usual);
  EXPECT_EQ(pause_of(t), trials::shortest_pause);
}

TEST(trials, late_members_are_forgiven_up_to_a_share_of_the_time) {
  trials t(1);
  constexpr std::uint64_t usual = 10'000;
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(t.note_team(0, 210'000, usual), trials::team_was::late) << i;
    for (int j = 0; j < 100; ++j) t.note_team(0, usual, usual);
  }
  int late = 0;
  while (t.note_team(0, 210'000, usual) == trials::team_was::late) ++late;
  EXPECT_EQ(late, 15) << "3 ms";
}

}}}}}  // namespace skua::v0::policies::arms
