// SPDX-License-Identifier: MIT
// One engine whose victims answer late: whom it asks meanwhile, what it does with late tasks, and when it votes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "skua/machine/ranks/protocol/one_engine_for_test.hpp"

namespace skua { inline namespace v0 { namespace ranks { namespace {

using one_engine::one_rank, one_engine::told, one_engine::mortal;

/// Sent to whom so far, and nothing but requests.
std::vector<rank_number> victims_of(one_rank& r) {
  std::vector<rank_number> all;
  for (auto const& m : r.network.take()) {
    EXPECT_EQ(m.head.kind, kind::steal_request);
    all.push_back(m.to);
  }
  return all;
}

TEST(late_replies, a_thief_that_waits_asks_other_victims_after_growing_pauses) {
  one_rank r({.ranks = 9, .patience_ns = 1000});
  r.engine.want(50);
  std::vector<rank_number> asked = victims_of(r);
  ASSERT_EQ(asked.size(), 1U);
  for (std::uint64_t const due : {1050U, 3050U, 7050U}) {
    EXPECT_EQ(r.engine.next_attempt_ns(), due);
    r.engine.idle({}, due - 1);
    EXPECT_EQ(r.told(), told{}) << "neither a request nor a vote";
    r.engine.idle({}, due);
    for (rank_number const v : victims_of(r)) {
      EXPECT_EQ(std::ranges::count(asked, v), 0) << "it has not answered yet";
      EXPECT_NE(v, 1U);
      asked.push_back(v);
    }
  }
  EXPECT_EQ(asked.size(), 4U);
  EXPECT_EQ(r.engine.counts().attempted, 4U);
  EXPECT_EQ(r.engine.next_attempt_ns(), 0U);
  r.engine.idle({}, 1'000'000'000);
  EXPECT_EQ(r.told(), told{}) << "four are enough";
  EXPECT_EQ(r.engine.state_in_words(), "round 1, waits for tasks from rank " + std::to_string(asked[0]) + " and rank " +
                                           std::to_string(asked[1]) + " and rank " + std::to_string(asked[2]) +
                                           " and rank " + std::to_string(asked[3]) +
                                           ", 2 of its 2 children in the tree have not voted");
  EXPECT_FALSE(r.engine.may_ask());
  // An answer makes room for another request, and the pauses still grow.
  r.hear_tasks(asked[1], {});
  EXPECT_EQ(r.engine.next_attempt_ns(), 7050U + 8000U);
}

TEST(late_replies, there_is_no_other_victim_than_those_that_live_and_were_not_asked) {
  one_rank two({.ranks = 2, .patience_ns = 1000});
  two.engine.want(0);
  EXPECT_EQ(victims_of(two), std::vector<rank_number>{0});
  two.engine.want(1'000'000'000);
  EXPECT_EQ(two.told(), told{});
  // On the node, then anybody: an open request counts as one in vain.
  one_rank r({.me = 0, .ranks = 4, .node = transport::neighbours{0, 2}, .patience_ns = 1000});
  r.engine.want(0);
  EXPECT_EQ(victims_of(r), std::vector<rank_number>{1});
  std::vector<rank_number> others;
  for (std::uint64_t now_ns : {10'000U, 20'000U, 30'000U}) {
    r.engine.want(now_ns);
    for (rank_number const v : victims_of(r)) others.push_back(v);
  }
  std::ranges::sort(others);
  EXPECT_EQ(others, (std::vector<rank_number>{2, 3}));
}

TEST(late_replies, late_tasks_are_added_in_whatever_order_they_come) {
  for (bool const first_is_late : {false, true}) {
    one_rank r({.ranks = 3, .patience_ns = 1000, .limit = 2});
    r.engine.want(0);
    r.engine.want(1000);
    auto const requests = r.network.take();
    ASSERT_EQ(requests.size(), 2U);
    EXPECT_EQ(requests[1].head.a, 2U) << "the room";
    rank_number const late = requests[first_is_late ? 0 : 1].to;
    r.hear_tasks(requests[first_is_late ? 1 : 0].to, {1, 2});
    EXPECT_EQ(r.engine.pause_ns(), 500U);
    EXPECT_EQ(r.engine.next_attempt_ns(), 2000U) << "the pauses begin anew";
    // It has tasks, and asks nobody. Others may ask it.
    r.queue.share_all();
    r.hear(kind::steal_request, 0, 1);
    auto const given = r.network.take();
    ASSERT_EQ(given.size(), 1U);
    EXPECT_EQ(given[0].head.a, 1U);
    r.engine.on_sent(given[0].token.value());
    r.hear_tasks(late, {3, 4});  // more than the limit
    EXPECT_EQ(r.pop_all(), (std::vector<std::uint64_t>{4, 3, 2}));
    EXPECT_EQ(r.engine.counts().successful, 2U);
    EXPECT_EQ(r.engine.counts().tasks, 4U);
    EXPECT_TRUE(r.engine.may_ask());
  }
}

TEST(late_replies, a_rank_votes_only_when_the_last_reply_has_come) {
  one_rank leaf({.me = 6, .patience_ns = 1000});
  leaf.engine.want(0);
  leaf.engine.want(1000);
  auto const asked = victims_of(leaf);
  ASSERT_EQ(asked.size(), 2U);
  leaf.engine.vote({});
  leaf.hear_tasks(asked[0], {});
  leaf.engine.vote({});
  EXPECT_EQ(leaf.told(), told{}) << "tasks may still come from the other one";
  leaf.hear_tasks(asked[1], {});
  leaf.engine.vote({});
  EXPECT_EQ(leaf.told(), (told{{2, kind::vote}}));
  // The same with "drained": two requests are open when the end is decided.
  leaf.engine.want(1'000'000);
  leaf.engine.want(1'001'000);
  auto const again = victims_of(leaf);
  ASSERT_EQ(again.size(), 2U);
  leaf.hear(kind::decision, 2, 1);
  leaf.engine.want(1'000'000'000);
  leaf.hear_tasks(again[1], {});
  leaf.engine.vote({});
  EXPECT_EQ(leaf.told(), told{});
  leaf.hear_tasks(again[0], {});
  leaf.engine.vote({});
  EXPECT_EQ(leaf.told(), (told{{2, kind::drained}}));
}

/// Replies that take longer than the pauses between requests must not keep a rank from its vote.
TEST(late_replies, a_rank_on_a_slow_network_votes_all_the_same) {
  constexpr std::uint64_t reply_takes_ns = 20'000;
  one_rank leaf({.me = 6, .patience_ns = 1000});
  leaf.engine.ask(0, 0);
  std::vector<std::pair<std::uint64_t, rank_number>> replies{{reply_takes_ns, 0}};
  leaf.network.take();
  bool voted = false;
  for (std::uint64_t now_ns = 0; now_ns < 100 * reply_takes_ns && !voted; now_ns += 100) {
    std::erase_if(replies, [&](auto const& r) {
      if (r.first > now_ns) return false;
      leaf.hear_tasks(r.second, {});
      return true;
    });
    leaf.engine.idle({}, now_ns);
    for (auto const& m : leaf.network.take()) {
      if (m.head.kind == kind::steal_request) replies.emplace_back(now_ns + reply_takes_ns, m.to);
      voted = voted || m.head.kind == kind::vote;
    }
  }
  EXPECT_TRUE(voted);
}

TEST(late_replies, of_tasks_that_were_added_the_oldest_runs_first_and_of_spawned_ones_the_newest) {
  for (bool const oldest_first : {false, true}) {
    for (std::uint16_t const spawned : {std::uint16_t{0}, std::uint16_t{1}}) {
      one_rank r({.oldest_first = oldest_first});
      r.engine.want(0);
      std::string body(3 * r.shape.bytes(), '\0');
      for (std::uint64_t n = 0; n < 3; ++n) {
        auto* const slot = reinterpret_cast<std::byte*>(body.data()) + n * r.shape.bytes();
        std::memcpy(slot, &n, sizeof n);
        r.shape.set_mark(slot, {.origin = 0, .spawned = spawned});
      }
      r.hear(kind::steal_reply, victims_of(r).at(0), 3, body);
      bool const oldest = oldest_first && spawned == 0;
      EXPECT_EQ(r.pop_all(), oldest ? (std::vector<std::uint64_t>{0, 1, 2}) : (std::vector<std::uint64_t>{2, 1, 0}));
    }
  }
}

/// Only the request to the dead rank is forgotten.
TEST(late_replies, of_a_dead_rank_never_come_and_the_others_do) {
  one_rank r({.ranks = 5, .shape = mortal, .patience_ns = 1000});
  r.enter(1, live_ranks(5));
  r.network.take();
  r.engine.want(0);
  r.engine.want(1000);
  r.engine.want(10'000);
  auto const asked = victims_of(r);
  ASSERT_EQ(asked.size(), 3U);
  auto const dead = static_cast<std::uint32_t>(asked[1] == 0 ? 2 : 1);  // rank 0 leads
  std::uint64_t const gone = asked[dead];
  std::string const list(reinterpret_cast<char const*>(&asked[dead]), sizeof(rank_number));
  r.hear({.kind = kind::lost, .flags = 1, .sender = 0}, list);
  ASSERT_TRUE(r.engine.is_recovering());
  std::string const waits = r.engine.state_in_words();
  for (rank_number const v : asked) {
    EXPECT_EQ(waits.find("rank " + std::to_string(v)) != std::string::npos, v != gone) << waits;
  }
}

}}}}  // namespace skua::v0::ranks
