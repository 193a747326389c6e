// SPDX-License-Identifier: MIT
// One engine on lifelines: whom it asks, what it remembers, and when it votes (policy/lifelines.md).
#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "skua/machine/ranks/protocol/one_engine_for_test.hpp"

namespace skua { inline namespace v0 { namespace ranks { namespace {

using one_engine::one_rank, one_engine::told;

/// Rank 1 of four: its buddies are 0, which is its parent in the tree, and 3, which is its child there.
class lifeline_messages : public ::testing::Test {
 protected:
  /// Whom the rank asks next, and whether along a lifeline.
  std::vector<std::pair<rank_number, bool>> asks() {
    std::vector<std::pair<rank_number, bool>> all;
    r.engine.want(now_ns += 1'000'000'000);
    for (auto const& m : r.network.take()) {
      EXPECT_EQ(m.head.kind, kind::steal_request);
      all.emplace_back(m.to, m.head.b == 1);
    }
    return all;
  }
  /// Asks at random and gets nothing, until it turns to its buddies. Returns the first that it asks, or none.
  std::vector<std::pair<rank_number, bool>> asks_in_vain() {
    for (int n = 0; n < 20; ++n) {
      auto const asked = asks();
      if (asked.empty() || asked[0].second) return asked;
      r.hear_tasks(asked[0].first, {});
    }
    ADD_FAILURE() << "it asks at random for ever";
    return {};
  }
  void fall_asleep() {
    EXPECT_EQ(asks_in_vain(), line_to(0));
    r.hear_tasks(0, {});
    EXPECT_EQ(asks(), line_to(3));
    r.hear_tasks(3, {});
  }
  static std::vector<std::pair<rank_number, bool>> line_to(rank_number buddy) { return {{buddy, true}}; }

  one_rank r{{.owner_answers = true, .me = 1, .ranks = 4, .lifelines = true}};
  std::uint64_t now_ns = 0;
};

TEST_F(lifeline_messages, a_rank_that_all_buddies_remember_asks_no_more_and_votes) {
  fall_asleep();
  EXPECT_TRUE(asks().empty());
  EXPECT_EQ(r.engine.next_attempt_ns(), 0U) << "it waits for messages only";
  EXPECT_EQ(r.engine.state_in_words(), "round 1, waits on 2 lifelines, 1 of its 1 children in the tree have not voted");
  r.hear(kind::vote, 3, 1);
  r.engine.idle({}, now_ns);
  EXPECT_EQ(r.told(), (told{{0, kind::vote}}));
}

TEST_F(lifeline_messages, tasks_wake_a_rank_which_says_that_they_have_arrived) {
  fall_asleep();
  r.hear_tasks(3, {11, 12}, kind::fed);
  EXPECT_EQ(r.told(), (told{{3, kind::fed_heard}}));
  EXPECT_EQ(r.pop_all().size(), 2U);
  EXPECT_EQ(asks_in_vain(), line_to(3)) << "rank 0 still remembers it";
}

TEST_F(lifeline_messages, tasks_that_overtake_the_reply_leave_the_line_untied) {
  EXPECT_EQ(asks_in_vain(), line_to(0));
  r.hear_tasks(0, {11}, kind::fed);
  EXPECT_EQ(r.told(), (told{{0, kind::fed_heard}}));
  r.hear_tasks(0, {});
  EXPECT_EQ(r.pop_all().size(), 1U);
  EXPECT_EQ(asks_in_vain(), line_to(0));
}

TEST_F(lifeline_messages, a_rank_feeds_whom_it_remembers_and_does_not_vote_before_it_hears_of_the_arrival) {
  r.hear(kind::steal_request, 3, 100, "", 1);
  r.hear(kind::steal_request, 2, 100);  // not along a lifeline
  EXPECT_EQ(r.told(), (told{{3, kind::steal_reply}, {2, kind::steal_reply}}));
  r.engine.feed();
  EXPECT_EQ(r.told(), told{}) << "it has nothing";
  for (std::uint64_t n = 0; n < 5; ++n) r.add(n);
  r.engine.feed();
  EXPECT_EQ(r.told(), (told{{3, kind::fed}}));
  r.engine.feed();
  EXPECT_EQ(r.told(), told{}) << "it remembers nobody any more";
  EXPECT_EQ(r.pop_all().size() + r.engine.counts().given, 5U);
  r.hear(kind::vote, 3, 1);
  r.engine.vote({});
  EXPECT_EQ(r.told(), told{});
  r.hear(kind::fed_heard, 3);
  r.engine.vote({});
  auto const votes = r.network.take();
  ASSERT_EQ(votes.size(), 1U);
  EXPECT_EQ(votes[0].head.kind, kind::vote);
  EXPECT_EQ(votes[0].head.a, 0U) << "it is dirty";
}

TEST_F(lifeline_messages, a_rank_that_had_no_room_when_it_asked_is_fed_and_keeps_nobody_from_it) {
  r.hear(kind::steal_request, 3, 0, "", 1);
  r.hear(kind::steal_request, 0, 100, "", 1);
  EXPECT_EQ(r.told(), (told{{3, kind::steal_reply}, {0, kind::steal_reply}}));
  for (std::uint64_t n = 0; n < 9; ++n) r.add(n);
  r.engine.feed();
  auto const fed = r.network.take();
  ASSERT_EQ(fed.size(), 2U);
  EXPECT_EQ(fed[0].to, 3U);
  EXPECT_EQ(fed[0].head.a, 1U);
  EXPECT_EQ(fed[1].to, 0U);
  EXPECT_GT(fed[1].head.a, 1U);
}

TEST_F(lifeline_messages, without_lifelines_a_rank_asks_at_random_for_ever) {
  one_rank random({.me = 1, .ranks = 4});
  for (int n = 0; n < 50; ++n) {
    random.engine.want(now_ns += 1'000'000'000);
    auto const asked = random.network.take();
    ASSERT_EQ(asked.size(), 1U);
    EXPECT_EQ(asked[0].head.b, 0U);
    random.hear_tasks(asked[0].to, {});
  }
}

using lifeline_messages_DeathTest = lifeline_messages;

TEST_F(lifeline_messages_DeathTest, only_tasks_that_were_sent_are_acknowledged) {
  if (!runtime::checked) GTEST_SKIP() << "this build checks no invariants (SKUA_CHECKED=OFF)";
  EXPECT_DEATH(r.hear(kind::fed_heard, 3), "only tasks that were sent are acknowledged");
}

}}}}  // namespace skua::v0::ranks
