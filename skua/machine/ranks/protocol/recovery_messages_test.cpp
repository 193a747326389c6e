// SPDX-License-Identifier: MIT
// One engine while ranks die: every message by which the live ones agree on who died and on what runs again (recovery.md). recovery_test
// runs many of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "skua/machine/ranks/protocol/one_engine_for_test.hpp"

namespace skua { inline namespace v0 { namespace ranks { namespace {

using one_engine::bytes_of_all, one_engine::mortal, one_engine::one_rank, one_engine::told;

live_ranks all_but(rank_number ranks, std::vector<rank_number> const& dead) {
  live_ranks live(ranks);
  for (rank_number const d : dead) live.remove(d);
  return live;
}

/// Rank `me` of five: 0 has the children 1 and 2, 1 has 3 and 4, and each keeps the tasks of the rank before it.
struct one_of_five : one_rank {
  explicit one_of_five(rank_number rank, std::vector<std::uint64_t> const& tasks = {})
      : one_rank({.owner_answers = true, .me = rank, .ranks = 5, .shape = mortal}) {
    enter(1, live_ranks(5), tasks);
  }
  void hear_of(std::uint16_t generation, kind what, rank_number from, std::uint64_t a = 0,
               std::string const& body = "") {
    one_rank::hear({.kind = what, .flags = generation, .sender = from, .a = a}, body);
  }
  void hear_lost(std::uint16_t generation, std::vector<rank_number> const& dead, std::uint64_t completed = 0) {
    hear_of(generation, kind::lost, 0, completed, bytes_of_all(dead));
  }
  /// What `taken` says: whose tasks the sender keeps, and number and hop of those that it took from the dead.
  static std::string taken_body(std::vector<rank_number> const& kept, std::vector<std::uint64_t> const& entries = {}) {
    return bytes_of_all(std::vector<std::uint64_t>{kept.size()}) + bytes_of_all(kept) + bytes_of_all(entries);
  }
  void hear_taken(std::uint16_t generation, rank_number from, std::vector<rank_number> const& kept,
                  std::vector<std::uint64_t> const& entries = {}) {
    hear_of(generation, kind::taken, from, 0, taken_body(kept, entries));
  }
  [[nodiscard]] std::uint64_t number_of(std::size_t seed) const {
    return mortal.identity_of(log.seeds().data() + seed * mortal.bytes()).number;
  }
};

/// A slot that another rank sends.
std::string slot_of(std::uint64_t task, task_identity who) {
  std::string slot(mortal.bytes(), '\0');
  std::memcpy(slot.data(), &task, sizeof task);
  mortal.set_identity(reinterpret_cast<std::byte*>(slot.data()), who);
  return slot;
}

TEST(recovery_messages, the_next_live_rank_gets_a_copy_of_what_a_rank_begins_with) {
  one_of_five last(4, {11, 12});
  auto const sent = last.network.take();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].to, 0U);
  EXPECT_EQ(sent[0].head.kind, kind::seeds);
  EXPECT_EQ(sent[0].head.flags, 0U);
  EXPECT_EQ(sent[0].body, last.log.seeds());
  EXPECT_EQ(sent[0].body.size(), 2 * mortal.bytes());
  one_rank before_a_dead_one({.me = 1, .ranks = 5, .shape = mortal});
  before_a_dead_one.enter(1, all_but(5, {2}));
  EXPECT_EQ(before_a_dead_one.told(), (told{{3, kind::seeds}}));
  one_rank alone({.me = 0, .ranks = 1, .shape = mortal});
  alone.enter(1, live_ranks(1));
  EXPECT_EQ(alone.told(), told{});
}

TEST(recovery_messages, the_tree_is_built_on_the_ranks_that_live_when_process_begins) {
  one_rank third({.me = 3, .ranks = 5, .shape = mortal});
  third.enter(1, all_but(5, {1}));
  third.network.take();
  third.engine.vote({});
  EXPECT_EQ(third.told(), (told{{0, kind::vote}})) << "its parent was rank 1";
  one_rank root({.me = 0, .ranks = 5, .shape = mortal});
  root.enter(1, all_but(5, {1}));
  root.network.take();
  root.engine.cancel("x");
  EXPECT_EQ(root.told(), (told{{2, kind::cancel}, {3, kind::cancel}}));
  for (int n = 0; n < 40; ++n) {
    root.engine.want(std::uint64_t{1'000'000} * static_cast<unsigned>(n));
    rank_number const asked = root.network.take().at(0).to;
    EXPECT_NE(asked, 1U) << "nobody asks the dead";
    root.hear_tasks(asked, {});
  }
}

TEST(recovery_messages, rank_0_tells_all_that_live_of_a_loss_and_goes_on_when_all_have_answered) {
  one_of_five root(0, {1});
  root.network.take();
  EXPECT_TRUE(root.engine.lose(2));
  auto const lost = root.network.take();
  ASSERT_EQ(lost.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(lost[i].to, (std::vector<rank_number>{1, 3, 4})[i]);
    EXPECT_EQ(lost[i].head.kind, kind::lost);
    EXPECT_EQ(lost[i].head.flags, 1U);
    EXPECT_EQ(lost[i].head.a, 0U) << "the generation that was complete";
    EXPECT_EQ(lost[i].text(), bytes_of_all(std::vector<rank_number>{2}));
  }
  EXPECT_TRUE(root.engine.lose(2));
  EXPECT_EQ(root.told(), told{}) << "it knows that";
  EXPECT_TRUE(root.engine.is_recovering());
  EXPECT_FALSE(root.engine.may_ask());
  root.pop_all();
  root.engine.idle({1, 1}, 1'000'000);
  EXPECT_EQ(root.told(), told{}) << "neither a vote nor a request";
  EXPECT_EQ(root.engine.state_in_words(),
            "round 1, waits for the other ranks' lists of tasks from dead ranks, 2 of its 2 "
            "children in the tree have not voted");
  root.hear_taken(1, 1, {});
  root.hear_taken(1, 3, {2}, {50, 1, 60, 2});
  root.hear_taken(1, 3, {2});
  EXPECT_EQ(root.told(), told{}) << "rank 4 has not answered";
  root.hear_taken(0, 4, {});
  EXPECT_EQ(root.told(), told{}) << "nor now, in this generation";
  root.hear_taken(1, 4, {}, {60, 3, 70, 5});
  auto const again = root.network.take();
  ASSERT_EQ(again.size(), 4U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(again[i].to, (std::vector<rank_number>{1, 3, 4})[i]);
    EXPECT_EQ(again[i].head.kind, kind::again);
    EXPECT_EQ(again[i].head.flags, 1U);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> entries(again[i].body.size() / 16);
    std::memcpy(entries.data(), again[i].body.data(), again[i].body.size());
    std::ranges::sort(entries);
    EXPECT_EQ(entries, (std::vector<std::pair<std::uint64_t, std::uint64_t>>{{50, 1}, {60, 3}, {70, 5}}));
  }
  EXPECT_EQ(again[3].head.kind, kind::seeds) << "its keeper needs a copy of this generation";
  EXPECT_EQ(again[3].to, 1U);
  EXPECT_EQ(again[3].head.flags, 1U);
  EXPECT_FALSE(root.engine.is_recovering());
  EXPECT_EQ(root.mended, (std::vector<rank_number>{4}));
  EXPECT_TRUE(root.broken.empty());
  root.hear_taken(1, 4, {});
  EXPECT_EQ(root.told(), told{}) << "it has gone on";
}

TEST(recovery_messages, what_rank_0_took_from_the_dead_and_keeps_for_them_counts_too) {
  one_of_five root(0);
  root.network.take();
  // Rank 4, whose keeper is rank 0.
  root.hear_of(0, kind::seeds, 4, 0, slot_of(44, {4, 0}));
  root.engine.ask(4, 0);
  root.hear(kind::steal_reply, 4, 1, slot_of(9, {900, 2}));
  root.pop_all();
  root.network.take();
  EXPECT_TRUE(root.engine.lose(4));
  for (rank_number const r : {1U, 2U, 3U}) root.hear_taken(1, r, {});
  auto const again = root.network.take();
  EXPECT_TRUE(root.broken.empty()) << "rank 0 has a copy";
  ASSERT_GE(again.size(), 6U);
  EXPECT_EQ(again[3].text(), bytes_of_all(std::vector<std::uint64_t>{900, 2}));
  EXPECT_EQ(root.pop_all(), (std::vector<std::uint64_t>{44}));
}

TEST(recovery_messages, two_ranks_of_which_one_dies_need_no_answer) {
  one_rank root({.me = 0, .ranks = 2, .shape = mortal});
  root.enter(1, live_ranks(2));
  root.hear({.kind = kind::seeds, .sender = 1}, slot_of(7, {70, 0}));
  root.network.take();
  EXPECT_TRUE(root.engine.lose(1));
  EXPECT_FALSE(root.engine.is_recovering());
  EXPECT_EQ(root.told(), told{}) << "nobody is left to be told";
  EXPECT_FALSE(root.engine.may_ask());
  EXPECT_EQ(root.pop_all(), (std::vector<std::uint64_t>{7}));
}

TEST(recovery_messages, a_rank_that_dies_meanwhile_is_not_waited_for) {
  one_of_five root(0);
  root.network.take();
  EXPECT_TRUE(root.engine.lose(2));
  EXPECT_TRUE(root.engine.lose(4));
  auto const lost = root.network.take();
  ASSERT_EQ(lost.size(), 5U);
  EXPECT_EQ(lost[4].head.flags, 2U);
  EXPECT_EQ(lost[4].text(), bytes_of_all(std::vector<rank_number>{2, 4}));
  // Rank 0 has no copy of rank 4's tasks; rank 1 says that it has.
  root.hear_taken(2, 1, {4});
  root.hear_taken(2, 3, {2});
  EXPECT_EQ(root.told(), (told{{1, kind::again}, {3, kind::again}, {1, kind::seeds}}));
  EXPECT_TRUE(root.broken.empty());
}

TEST(recovery_messages, a_keeper_that_dies_before_its_copy_went_on_cannot_be_mended) {
  one_of_five root(0);
  EXPECT_TRUE(root.engine.lose(2));
  root.hear_taken(1, 3, {2});
  EXPECT_TRUE(root.engine.lose(3));
  root.network.take();
  root.hear_taken(2, 1, {});
  root.hear_taken(2, 4, {3});
  EXPECT_EQ(root.broken, (std::vector<std::string>{"rank 2 died, and no rank that lives has a copy of its tasks"}));
  EXPECT_EQ(root.told(), told{}) << "nobody goes on";
  EXPECT_TRUE(root.engine.is_recovering());
}

TEST(recovery_messages, who_was_made_up_for_needs_no_copy_at_the_next_loss) {
  one_of_five root(0);
  EXPECT_TRUE(root.engine.lose(2));
  root.hear_taken(1, 1, {});
  root.hear_taken(1, 3, {2});
  root.hear_taken(1, 4, {});
  root.network.take();
  EXPECT_TRUE(root.engine.lose(3));
  auto const lost = root.network.take();
  ASSERT_EQ(lost.size(), 2U);
  EXPECT_EQ(lost[0].head.flags, 2U);
  EXPECT_EQ(lost[0].head.a, 1U) << "copies of generation 1 are whole";
  root.hear_taken(2, 1, {});
  root.hear_taken(2, 4, {3});
  EXPECT_TRUE(root.broken.empty());
  EXPECT_EQ(root.mended, (std::vector<rank_number>{4, 3}));
}

TEST(recovery_messages, a_rank_answers_with_what_it_keeps_and_has_taken_and_goes_on_when_it_is_told) {
  one_of_five r(3, {1, 2});
  r.hear_of(0, kind::seeds, 2, 0, slot_of(22, {220, 0}));
  r.engine.ask(2, 0);
  r.hear(kind::steal_reply, 2, 1, slot_of(9, {900, 4}));
  r.network.take();
  r.hear_lost(1, {2});
  auto const reply = r.network.take();
  ASSERT_EQ(reply.size(), 1U);
  EXPECT_EQ(reply[0].to, 0U);
  EXPECT_EQ(reply[0].head.kind, kind::taken);
  EXPECT_EQ(reply[0].head.flags, 1U);
  EXPECT_EQ(reply[0].text(), one_of_five::taken_body({2}, {900, 4}));
  r.hear_lost(1, {2});
  EXPECT_EQ(r.told(), told{}) << "it has answered that";
  r.hear_lost(2, {2, 4});
  auto const next = r.network.take();
  ASSERT_EQ(next.size(), 1U);
  EXPECT_EQ(next[0].head.flags, 2U);
  r.hear_of(1, kind::again, 0);
  EXPECT_TRUE(r.engine.is_recovering()) << "that was the older one";
  r.hear_of(2, kind::again, 0, 0, bytes_of_all(std::vector<std::uint64_t>{r.number_of(0), 7}));
  EXPECT_FALSE(r.engine.is_recovering());
  EXPECT_EQ(r.mended, (std::vector<rank_number>{3}));
  auto const seeds = r.network.take();
  ASSERT_EQ(seeds.size(), 1U);
  EXPECT_EQ(seeds[0].to, 0U) << "rank 4 is dead";
  EXPECT_EQ(seeds[0].head.kind, kind::seeds);
  EXPECT_EQ(seeds[0].head.flags, 2U);
  EXPECT_EQ(seeds[0].body.size(), 3 * mortal.bytes()) << "its own, and those that it took over";
  EXPECT_EQ(r.pop_all(), (std::vector<std::uint64_t>{22, 9, 2, 1}));
  r.hear_of(2, kind::again, 0);
  EXPECT_EQ(r.mended.size(), 1U) << "once";
}

TEST(recovery_messages, a_copy_of_an_older_generation_is_none) {
  one_of_five r(3);
  r.hear_of(0, kind::seeds, 2, 0, slot_of(22, {220, 0}));
  r.network.take();
  r.hear_lost(2, {2}, 1);
  EXPECT_EQ(r.network.take().at(0).text(), one_of_five::taken_body({}));
}

TEST(recovery_messages, what_a_dead_rank_was_given_runs_here_again_and_its_slots_are_free_at_once) {
  one_of_five r(3, {1, 2, 3, 4});
  r.network.take();
  r.hear(kind::steal_request, 2, 1);
  auto const given = r.network.take().at(0);
  ASSERT_EQ(given.head.a, 1U);
  ASSERT_FALSE(given.token) << "not from where it lies";
  EXPECT_EQ(mortal.identity_of(given.body.data()).hop, 1U);
  EXPECT_EQ(r.pop_all(), (std::vector<std::uint64_t>{4, 3, 2}));
  for (int round = 0; round < 20; ++round) {
    for (std::uint64_t n = 0; n < 12; ++n) r.add(n);
    r.hear(kind::steal_request, 4, 100);
    r.pop_all();
  }
  EXPECT_EQ(r.queue.capacity(), 16U);
  r.network.take();
  r.hear_lost(1, {2});
  r.hear_of(1, kind::again, 0);
  EXPECT_EQ(r.pop_all(), (std::vector<std::uint64_t>{1}));
}

TEST(recovery_messages, a_request_that_the_dead_will_not_answer_is_forgotten_and_others_stay_open) {
  one_of_five r(3);
  r.engine.ask(2, 0);
  r.network.take();
  r.hear_lost(1, {2});
  r.hear_of(1, kind::again, 0);
  EXPECT_TRUE(r.engine.may_ask());
  EXPECT_EQ(r.network.take().size(), 2U);  // what it knew, its seeds
  r.engine.ask(4, 0);
  r.hear_lost(2, {1, 2});
  r.hear_of(2, kind::again, 0);
  EXPECT_FALSE(r.engine.may_ask()) << "rank 4 will answer";
  r.hear(kind::steal_reply, 4, 0);
  EXPECT_TRUE(r.engine.may_ask());
}

TEST(recovery_messages, nothing_is_heard_from_the_dead) {
  one_of_five r(3);
  r.engine.ask(2, 0);
  r.hear_lost(1, {2});
  r.network.take();
  r.hear(kind::steal_reply, 2, 1, slot_of(9, {900, 1}));
  r.hear(kind::steal_request, 2, 100);
  EXPECT_EQ(r.told(), told{});
  EXPECT_TRUE(r.queue.empty());
}

TEST(recovery_messages, who_has_not_heard_of_a_loss_gets_no_task) {
  one_of_five r(3, {1, 2, 3, 4});
  r.hear_lost(1, {2});
  r.hear_of(1, kind::again, 0);
  r.network.take();
  r.hear_of(0, kind::steal_request, 4, 100);
  EXPECT_EQ(r.network.take().at(0).head.a, 0U);
  r.hear_of(1, kind::steal_request, 4, 1);
  EXPECT_EQ(r.network.take().at(0).head.a, 1U);
  r.hear_of(2, kind::steal_request, 4, 1);
  EXPECT_EQ(r.network.take().at(0).head.a, 1U) << "it knows more than we do";
}

TEST(recovery_messages, of_the_tree_old_ones_are_dropped_and_early_ones_heard_when_the_rank_goes_on) {
  one_of_five r(1, {1, 2});
  r.hear(kind::steal_request, 3, 1);
  r.pop_all();
  r.hear(kind::vote, 3, 0, "", 10, 9);
  r.hear_lost(1, {2});
  r.network.take();
  r.hear_of(0, kind::cancel, 3, 4, "of rank 3");
  r.hear_of(0, kind::vote, 4, 1);
  EXPECT_FALSE(r.engine.is_cancelled());
  EXPECT_EQ(r.told(), told{});
  r.hear_of(1, kind::vote, 4, 1);
  EXPECT_EQ(r.engine.state_in_words(),
            "round 1, waits for the other ranks' lists of tasks from dead ranks, 1 of its 2 "
            "children in the tree have not voted");
  r.hear_of(1, kind::again, 0);
  // The tree of four: rank 1 has one child, which is rank 4.
  EXPECT_EQ(r.engine.state_in_words(), "round 1");
  EXPECT_EQ(r.told(), (told{{3, kind::seeds}}));
  r.hear_of(0, kind::cancel, 3, 4, "of rank 3");
  EXPECT_FALSE(r.engine.is_cancelled()) << "an old one";
  r.network.take();
  r.engine.vote({.added = 2, .executed = 1});
  auto const up = r.network.take();
  ASSERT_EQ(up.size(), 1U);
  EXPECT_EQ(up[0].head.flags, 1U);
  EXPECT_EQ(up[0].head.a, 1U) << "what was stolen and who said no before is forgotten";
  EXPECT_EQ(up[0].head.b, 2U);
  EXPECT_EQ(up[0].head.c, 1U) << "what a child had counted, too";
}

TEST(recovery_messages, a_failure_is_told_again_on_the_new_tree) {
  one_of_five r(1);
  r.engine.cancel("x");
  r.hear_lost(1, {3});
  r.network.take();
  r.hear_of(1, kind::again, 0);
  EXPECT_EQ(r.told(), (told{{0, kind::cancel}, {4, kind::cancel}, {2, kind::seeds}}));
  one_of_five other(1);
  other.hear_lost(1, {3});
  other.network.take();
  other.hear_of(1, kind::again, 0);
  EXPECT_EQ(other.told(), (told{{2, kind::seeds}})) << "nothing has failed";
}

/// Up to the end of a process() on rank 0 of five, of which so many ranks live.
void everybody_leaves(one_of_five& root, std::uint16_t generation, std::vector<rank_number> const& children,
                      task_count count = {}) {
  for (rank_number const c : children) root.hear_of(generation, kind::vote, c, 1);
  root.engine.vote(count);
  for (rank_number const c : children) root.hear_of(generation, kind::drained, c);
  root.network.take();
  root.engine.vote(count);
}

TEST(recovery_messages, rank_0_tells_everybody_to_leave_and_nobody_else_does) {
  one_of_five root(0);
  everybody_leaves(root, 0, {1, 2});
  EXPECT_TRUE(root.engine.has_left());
  EXPECT_EQ(root.told(), (told{{1, kind::leave}, {3, kind::leave}, {4, kind::leave}, {2, kind::leave}}));
  EXPECT_FALSE(root.engine.lose(2)) << "too late";
  EXPECT_EQ(root.told(), told{});
  one_of_five r(1);
  for (rank_number const c : {3U, 4U}) r.hear_of(0, kind::vote, c, 1);
  r.engine.vote({});
  r.hear_of(0, kind::decision, 0, 1);
  for (rank_number const c : {3U, 4U}) r.hear_of(0, kind::drained, c);
  r.engine.vote({});
  r.network.take();
  r.hear_of(0, kind::leave, 0);
  EXPECT_TRUE(r.engine.has_left());
  EXPECT_EQ(r.told(), told{});
}

TEST(recovery_messages, a_new_process_begins_in_generation_0_with_no_early_message) {
  one_of_five root(0);
  EXPECT_TRUE(root.engine.lose(2));
  root.hear_taken(1, 1, {});
  root.hear_taken(1, 3, {2});
  root.hear_taken(1, 4, {});
  root.hear_of(2, kind::vote, 1, 1);  // of a recovery that does not come
  // After a loss the counts need not agree.
  everybody_leaves(root, 1, {1, 3}, {.added = 5, .executed = 3});
  ASSERT_TRUE(root.engine.has_left());
  root.network.take();
  root.enter(2, all_but(5, {2}));
  auto const sent = root.network.take();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].head.kind, kind::seeds);
  EXPECT_EQ(sent[0].head.flags, 0U);
  root.engine.want(1'000'000'000);
  auto const asked = root.network.take().at(0);
  EXPECT_EQ(asked.head.flags, 0U);
  root.hear(kind::steal_reply, asked.to);
  EXPECT_TRUE(root.engine.lose(4));
  root.hear_taken(1, 1, {});
  root.hear_taken(1, 3, {4});
  EXPECT_TRUE(root.engine.lose(3));
  root.hear_taken(2, 1, {3});
  EXPECT_EQ(root.engine.state_in_words(), "round 1, 1 of its 1 children in the tree have not voted");
}

}}}}  // namespace skua::v0::ranks
