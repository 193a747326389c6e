// SPDX-License-Identifier: MIT
#include "skua/policy/lifelines.hpp"

#include <gtest/gtest.h>

namespace skua { inline namespace v0 { namespace policies { namespace {

TEST(lifelines, lead_from_every_rank_to_every_other_one_and_back) {
  for (std::uint32_t ranks = 1; ranks <= 70; ++ranks) {
    std::vector<bool> reached(ranks, false);
    std::vector<std::uint32_t> open{ranks - 1};
    reached[ranks - 1] = true;
    while (!open.empty()) {
      std::uint32_t const at = open.back();
      open.pop_back();
      for (std::uint32_t const next : buddies_of(at, ranks)) {
        ASSERT_LT(next, ranks);
        ASSERT_NE(next, at);
        auto const back = buddies_of(next, ranks);
        ASSERT_NE(std::ranges::find(back, at), back.end()) << at << " and " << next << " of " << ranks;
        if (!reached[next]) open.push_back(next);
        reached[next] = true;
      }
    }
    EXPECT_EQ(std::ranges::count(reached, true), ranks);
  }
}

TEST(lifelines, of_a_rank_are_as_many_as_bits_at_most_and_the_nearest_first) {
  EXPECT_EQ(buddies_of(5, 8), (std::vector<std::uint32_t>{4, 7, 1}));
  EXPECT_EQ(buddies_of(5, 7), (std::vector<std::uint32_t>{4, 1}));
  EXPECT_EQ(buddies_of(0, 163'840).size(), 18U);
  EXPECT_TRUE(buddies_of(0, 1).empty());
}

TEST(lifelines, let_a_rank_sleep_when_all_are_tied) {
  lifelines own(0, 5);
  for (std::uint32_t const buddy : {1U, 2U, 4U}) {
    EXPECT_FALSE(own.sleeps());
    ASSERT_EQ(own.next(), buddy);
    own.tie(buddy);
  }
  EXPECT_TRUE(own.sleeps());
  EXPECT_FALSE(own.next());
  own.cut(2);
  EXPECT_EQ(own.next(), 2U);
  own.begin();
  EXPECT_EQ(own.tied(), 0U);
}

TEST(lifelines, feed_who_has_waited_longest_and_wait_for_an_answer) {
  lifelines own(0, 8);
  EXPECT_FALSE(own.heard());
  own.remember({4, 10});
  own.remember({1, 20});
  EXPECT_EQ(own.first().rank, 4U);
  own.feed_first();
  EXPECT_EQ(own.first().room, 20U);
  own.feed_first();
  EXPECT_FALSE(own.anyone_waits());
  EXPECT_EQ(own.unheard(), 2U);
  EXPECT_TRUE(own.heard());
  EXPECT_TRUE(own.heard());
  EXPECT_FALSE(own.heard());
}

}}}}  // namespace skua::v0::policies
