// SPDX-License-Identifier: MIT
// One engine, and every message that it sends: what it answers, whom it tells of a failure, when it asks, and that a new process()
// begins with nothing of the one before. process_engine_test and recovery_test run many of them.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "skua/machine/ranks/protocol/one_engine_for_test.hpp"

namespace skua { inline namespace v0 { namespace ranks { namespace {

using one_engine::numbers, one_engine::one_rank, one_engine::told;

TEST(engine_messages, a_request_says_how_much_room_there_is_and_is_not_repeated_before_its_reply) {
  one_rank r;
  r.engine.want(0);
  auto const asked = r.network.take();
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_EQ(asked[0].head.kind, kind::steal_request);
  EXPECT_EQ(asked[0].head.a, r.queue.room());
  EXPECT_EQ(asked[0].head.collection, 5U);
  EXPECT_EQ(asked[0].head.epoch, 1U);
  EXPECT_NE(asked[0].to, 1U);
  EXPECT_EQ(r.engine.state_in_words(), "round 1, waits for tasks from rank " + std::to_string(asked[0].to) +
                                           ", 2 of its 2 children in the tree have not voted");
  EXPECT_EQ(r.engine.next_attempt_ns(), 0U);
  r.engine.want(1'000'000'000);
  r.engine.idle({}, 1'000'000'000);
  EXPECT_EQ(r.told(), told{}) << "it waits, and may not vote";
}

TEST(engine_messages, each_request_in_vain_doubles_the_pause_and_tasks_end_that) {
  one_rank r;
  std::uint64_t now_ns = 0;
  for (std::uint64_t pause_ns = 500; pause_ns <= 4000; pause_ns *= 2) {
    EXPECT_EQ(r.engine.pause_ns(), pause_ns);
    r.engine.want(now_ns);
    rank_number const victim = r.network.take().at(0).to;
    r.hear_tasks(victim, {});
    EXPECT_EQ(r.engine.next_attempt_ns(), now_ns + pause_ns) << "from the request on";
    r.engine.want(now_ns + pause_ns - 1);
    EXPECT_EQ(r.told(), told{});
    now_ns += pause_ns;
  }
  EXPECT_EQ(r.engine.counts().attempted, 4U);
  EXPECT_EQ(r.engine.counts().successful, 0U);
  r.engine.want(now_ns);
  r.hear_tasks(r.network.take().at(0).to, {7, 8});
  EXPECT_EQ(r.pop_all(), (std::vector<std::uint64_t>{8, 7}));
  EXPECT_EQ(r.engine.pause_ns(), 500U);
  EXPECT_EQ(r.engine.counts().attempted, 5U);
  EXPECT_EQ(r.engine.counts().successful, 1U);
  EXPECT_EQ(r.engine.counts().tasks, 2U);
  // As if some requests had been answered in vain.
  r.engine.count_failed(3, 12'345);
  EXPECT_EQ(r.engine.counts().attempted, 8U);
  EXPECT_EQ(r.engine.pause_ns(), 4000U);
  EXPECT_EQ(r.engine.next_attempt_ns(), 12'345U);
  r.engine.count_failed(100, 0);
  EXPECT_EQ(r.engine.pause_ns(), 200'000U) << "no longer than that";
}

TEST(engine_messages, tasks_of_a_process_that_may_be_abandoned_are_sent_from_a_copy) {
  for (bool const may : {false, true}) {
    one_rank r({.owner_answers = true});
    r.engine.may_be_abandoned(may);
    for (std::uint64_t n = 0; n < 9; ++n) r.add(n);
    r.hear(kind::steal_request, 6, 100);
    auto const given = r.network.take();
    ASSERT_EQ(given.size(), 1U);
    EXPECT_EQ(given[0].head.a, 4U);
    EXPECT_EQ(given[0].body.size(), 4 * numbers.bytes());
    EXPECT_EQ(given[0].token.has_value(), !may) << "its completion";
    EXPECT_EQ(r.engine.counts().given, 4U);
    EXPECT_EQ(r.pop_all().size(), 5U);
    if (!may) r.engine.on_sent(*given[0].token);
  }
}

TEST(engine_messages, a_thief_gets_half_of_what_is_shared_once_and_nothing_of_nothing) {
  for (bool const owner_answers : {false, true}) {
    one_rank r({.owner_answers = owner_answers});
    r.hear(kind::steal_request, 6, 100);
    auto empty = r.network.take();
    ASSERT_EQ(empty.size(), 1U);
    EXPECT_EQ(empty[0].to, 6U);
    EXPECT_EQ(empty[0].head.kind, kind::steal_reply);
    EXPECT_EQ(empty[0].head.a, 0U);
    EXPECT_EQ(r.engine.counts().given, 0U);
    for (std::uint64_t n = 0; n < 9; ++n) r.add(n);
    if (!owner_answers) r.queue.share_all();
    r.hear(kind::steal_request, 6, 2);
    auto const given = r.network.take();
    ASSERT_EQ(given.size(), 1U);
    EXPECT_EQ(given[0].head.a, 2U) << "it has no room for more";
    EXPECT_EQ(given[0].body.size(), 2 * numbers.bytes());
    EXPECT_EQ(r.engine.counts().asked, 2U);
    EXPECT_EQ(r.engine.counts().given, 2U);
    ASSERT_TRUE(given[0].token);
    EXPECT_EQ(*given[0].token >> 32, 5U) << "the collection";
    r.hear(kind::steal_request, 6, 100);
    auto const more = r.network.take();
    EXPECT_GT(more.at(0).head.a, 2U);
    EXPECT_NE(more[0].token, given[0].token);
    r.engine.on_sent(*more[0].token);
    r.engine.on_sent(*given[0].token);
    EXPECT_EQ(r.pop_all().size(), 9 - 2 - more[0].head.a);
  }
}

TEST(engine_messages, a_thief_gets_the_oldest_task_alone_if_that_splits) {
  one_rank r;
  task_bytes slot(r.shape.bytes());
  for (std::uint64_t n = 0; n < 8; ++n) {
    std::memcpy(slot.data(), &n, sizeof n);
    r.shape.set_mark(slot.data(), {.origin = 1, .spawned = 0, .divides = static_cast<std::uint16_t>(n < 2 ? 1 : 0)});
    r.queue.push(slot.data());
  }
  r.queue.share_all();
  for (std::uint64_t const wanted : {1U, 1U, 3U}) {
    r.hear(kind::steal_request, 6, 100);
    EXPECT_EQ(r.network.take().at(0).head.a, wanted);
  }
  EXPECT_EQ(r.engine.counts().given, 5U);
  EXPECT_EQ(r.engine.counts().bytes_given, 5 * numbers.bytes());
  EXPECT_EQ(r.pop_all(), (std::vector<std::uint64_t>{7, 6, 5}));
}

TEST(engine_messages, it_has_left_only_when_what_it_sent_has_been_copied) {
  one_rank r({.owner_answers = true, .me = 0, .ranks = 2});
  for (std::uint64_t n = 0; n < 4; ++n) r.add(n);
  r.hear(kind::steal_request, 1, 100);
  auto const given = r.network.take().at(0);
  std::uint64_t const left = r.pop_all().size();
  r.hear(kind::vote, 1, 1, "", 0, given.head.a);
  r.engine.vote({4, left});
  EXPECT_EQ(r.told(), (told{{1, kind::decision}})) << "no end yet: it was stolen from";
  r.hear(kind::vote, 1, 1, "", 0, given.head.a);
  r.engine.vote({4, left});
  EXPECT_TRUE(r.engine.end().ended());
  r.hear(kind::drained, 1);
  r.engine.vote({4, left});
  EXPECT_FALSE(r.engine.has_left());
  r.engine.on_sent(*given.token);
  EXPECT_TRUE(r.engine.has_left());
}

TEST(engine_messages, a_failure_goes_to_the_parent_and_the_children_with_its_rank_and_its_words_once) {
  one_rank r;
  r.engine.cancel("no such file");
  EXPECT_TRUE(r.engine.is_cancelled());
  auto const sent = r.network.take();
  ASSERT_EQ(sent.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(sent[i].to, (std::vector<rank_number>{0, 3, 4})[i]);
    EXPECT_EQ(sent[i].head.kind, kind::cancel);
    EXPECT_EQ(sent[i].head.a, 2U) << "its rank, and one";
    EXPECT_EQ(sent[i].text(), "no such file");
  }
  r.engine.cancel("something else");
  r.hear(kind::cancel, 3, 4, "that of rank 3");
  EXPECT_EQ(r.told(), told{}) << "it knows that";
  ASSERT_TRUE(r.engine.failed());
  EXPECT_EQ(r.engine.failed()->rank, 1U);
  EXPECT_EQ(r.engine.failed()->message, "no such file");

  one_rank other;
  other.hear(kind::cancel, 3, 4, "that of rank 3");
  EXPECT_EQ(other.told(), (told{{0, kind::cancel}, {3, kind::cancel}, {4, kind::cancel}}));
  ASSERT_TRUE(other.engine.failed());
  EXPECT_EQ(other.engine.failed()->rank, 3U);
  EXPECT_EQ(other.engine.failed()->message, "that of rank 3");
  for (std::uint64_t n = 0; n < 4; ++n) other.add(n);
  other.queue.share_all();
  other.hear(kind::steal_request, 6, 100);
  EXPECT_EQ(other.network.take().at(0).head.a, 0U) << "others drop theirs, too";
}

TEST(engine_messages, a_root_that_fails_has_no_parent_to_tell) {
  one_rank root({.me = 0});
  root.engine.cancel("x");
  EXPECT_EQ(root.told(), (told{{1, kind::cancel}, {2, kind::cancel}}));
  one_rank leaf({.me = 6});
  leaf.engine.cancel("x");
  EXPECT_EQ(leaf.told(), (told{{2, kind::cancel}}));
}

/// Up to the end of a process() on rank 1 of seven.
void everybody_votes(one_rank& r) {
  r.hear(kind::vote, 3, 1);
  r.engine.vote({});
  EXPECT_EQ(r.told(), told{}) << "a child has not voted";
  r.hear(kind::vote, 4, 1, "", 2, 2);
  r.engine.vote({.added = 5, .executed = 5});
  auto const up = r.network.take();
  ASSERT_EQ(up.size(), 1U);
  EXPECT_EQ(up[0].to, 0U);
  EXPECT_EQ(up[0].head.kind, kind::vote);
  EXPECT_EQ(up[0].head.a, 1U);
  EXPECT_EQ(up[0].head.b, 7U) << "added in the subtree";
  EXPECT_EQ(up[0].head.c, 7U) << "executed";
  EXPECT_EQ(r.engine.state_in_words(),
            "round 1, 2 of its 2 children in the tree have not voted, has voted and waits for rank 0");
  r.hear(kind::decision, 0, 1);
  EXPECT_EQ(r.told(), (told{{3, kind::decision}, {4, kind::decision}}));
  EXPECT_TRUE(r.engine.end().ended());
  EXPECT_FALSE(r.engine.may_ask());
  EXPECT_EQ(r.engine.next_attempt_ns(), 0U);
}

TEST(engine_messages, the_lowest_rank_that_failed_goes_up_with_drained_and_down_with_leave) {
  one_rank r;
  r.engine.cancel("of rank 1");
  r.network.take();
  everybody_votes(r);
  r.hear(kind::drained, 3, 4, "of rank 3");
  r.engine.vote({});
  EXPECT_EQ(r.told(), told{});
  EXPECT_EQ(r.engine.state_in_words(),
            "round 1, 1 of its 2 children in the tree have not drained, has seen the end and "
            "waits to leave");
  r.hear(kind::drained, 4, 1, "of rank 0");
  r.engine.vote({});
  auto const up = r.network.take();
  ASSERT_EQ(up.size(), 1U);
  EXPECT_EQ(up[0].to, 0U);
  EXPECT_EQ(up[0].head.kind, kind::drained);
  EXPECT_EQ(up[0].head.a, 1U) << "rank 0 is the lowest";
  EXPECT_EQ(up[0].text(), "of rank 0");
  EXPECT_FALSE(r.engine.has_left());
  r.hear(kind::leave, 0, 1, "of rank 0, in the end");
  auto const down = r.network.take();
  ASSERT_EQ(down.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(down[i].to, 3 + i);
    EXPECT_EQ(down[i].head.kind, kind::leave);
    EXPECT_EQ(down[i].head.a, 1U);
    EXPECT_EQ(down[i].text(), "of rank 0, in the end");
  }
  EXPECT_TRUE(r.engine.has_left());
}

TEST(engine_messages, a_round_in_which_somebody_was_stolen_from_is_followed_by_another) {
  one_rank r({.owner_answers = true});
  for (std::uint64_t n = 0; n < 4; ++n) r.add(n);
  r.hear(kind::steal_request, 6, 100);
  r.engine.on_sent(*r.network.take().at(0).token);
  r.pop_all();
  for (bool const is_second : {false, true}) {
    r.hear(kind::vote, 3, 1);
    r.hear(kind::vote, 4, 1);
    r.engine.vote({});
    auto const up = r.network.take();
    ASSERT_EQ(up.size(), 1U);
    EXPECT_EQ(up[0].head.a, is_second ? 1U : 0U);
    r.hear(kind::decision, 0, is_second ? 1 : 0);
    for (auto const& m : r.network.take()) EXPECT_EQ(m.head.a, is_second ? 1U : 0U);
    EXPECT_EQ(r.engine.end().rounds(), 2U);
  }
  EXPECT_TRUE(r.engine.end().ended());
}

TEST(engine_messages, of_a_child_that_says_no_the_parent_says_no_in_this_round_only) {
  one_rank r;
  r.hear(kind::vote, 3, 0);
  r.hear(kind::vote, 4, 1);
  r.engine.vote({});
  EXPECT_EQ(r.network.take().at(0).head.a, 0U);
  r.hear(kind::decision, 0, 0);
  r.network.take();
  r.hear(kind::vote, 3, 1);
  r.hear(kind::vote, 4, 1);
  r.engine.vote({});
  EXPECT_EQ(r.network.take().at(0).head.a, 1U);
}

TEST(engine_messages, a_new_process_begins_with_nothing_of_the_one_before) {
  one_rank r;
  r.engine.want(0);
  r.hear_tasks(r.network.take().at(0).to, {});
  r.engine.count_failed(5, 9'000'000);
  r.engine.cancel("x");
  r.network.take();
  everybody_votes(r);
  r.hear(kind::drained, 3);
  r.hear(kind::drained, 4);
  r.engine.vote({});
  r.hear(kind::leave, 0, 2, "x");
  ASSERT_TRUE(r.engine.has_left());
  r.network.take();
  r.engine.begin(2);
  EXPECT_EQ(r.engine.epoch(), 2U);
  EXPECT_FALSE(r.engine.has_left());
  EXPECT_FALSE(r.engine.failed());
  EXPECT_EQ(r.engine.counts().attempted, 0U);
  EXPECT_EQ(r.engine.pause_ns(), 500U);
  EXPECT_EQ(r.engine.end().rounds(), 1U);
  r.engine.want(0);
  auto const asked = r.network.take();
  ASSERT_EQ(asked.size(), 1U) << "at once";
  EXPECT_EQ(asked[0].head.epoch, 2U);
  r.hear_tasks(asked[0].to, {1});
  r.pop_all();
  everybody_votes(r);
}

TEST(engine_messages, without_stealing_nobody_is_asked_from_the_next_process_on_and_votes_go_on) {
  one_rank r;
  r.engine.stealing(false);
  EXPECT_FALSE(r.engine.may_ask());
  r.engine.idle({}, 0);
  EXPECT_EQ(r.told(), told{});
  everybody_votes(r);
}

TEST(engine_messages, a_quiet_rank_votes_first_and_then_asks) {
  one_rank leaf({.me = 6});
  leaf.engine.idle({}, 0);
  auto const sent = leaf.network.take();
  ASSERT_EQ(sent.size(), 2U);
  EXPECT_EQ(sent[0].to, 2U);
  EXPECT_EQ(sent[0].head.kind, kind::vote);
  EXPECT_EQ(sent[1].head.kind, kind::steal_request);
  leaf.hear_tasks(sent[1].to, {});
  leaf.engine.vote({});
  EXPECT_EQ(leaf.told(), told{}) << "once in a round";
}

TEST(engine_messages, a_rank_alone_asks_nobody_and_ends_at_once) {
  one_rank alone({.me = 0, .ranks = 1});
  EXPECT_FALSE(alone.engine.may_ask());
  EXPECT_FALSE(alone.engine.lose(0)) << "nothing is mended here";
  alone.engine.idle({}, 0);
  EXPECT_EQ(alone.told(), told{});
  EXPECT_TRUE(alone.engine.has_left());
  EXPECT_EQ(alone.engine.state_in_words(), "round 1");
}

TEST(engine_messages, anybody_is_asked_after_two_requests_in_vain_on_the_node_until_tasks_come_or_process_begins) {
  one_rank r({.me = 1, .ranks = 8, .node = transport::neighbours{0, 4}});
  std::uint64_t now_ns = 0;
  auto const ask_in_vain = [&] {
    r.engine.want(now_ns += 1'000'000'000);
    r.hear_tasks(r.network.take().at(0).to, {});
  };
  EXPECT_FALSE(r.engine.asks_anybody());
  ask_in_vain();
  EXPECT_FALSE(r.engine.asks_anybody());
  ask_in_vain();
  EXPECT_TRUE(r.engine.asks_anybody());
  r.engine.ask(7, 0);
  r.hear_tasks(7, {1});
  EXPECT_FALSE(r.engine.asks_anybody()) << "rank 7 had some";
  r.engine.count_failed(1, 0);
  EXPECT_FALSE(r.engine.asks_anybody());
  r.engine.count_failed(1, 0);
  EXPECT_TRUE(r.engine.asks_anybody());
  r.pop_all();
  r.network.take();
  everybody_votes(r);
  r.hear(kind::drained, 3);
  r.engine.vote({});
  EXPECT_EQ(r.told(), told{}) << "one child has not drained";
  r.hear(kind::drained, 4);
  r.engine.vote({});
  r.hear(kind::leave, 0);
  r.network.take();
  r.engine.begin(2);
  EXPECT_FALSE(r.engine.asks_anybody());
  everybody_votes(r);
  r.engine.vote({});
  EXPECT_EQ(r.told(), told{}) << "its children drained in the one before";
}

TEST(engine_messages, a_vote_has_the_counts_of_its_round) {
  one_rank r({.owner_answers = true});
  r.add(1);
  r.add(2);
  r.hear(kind::steal_request, 6, 1);
  r.engine.on_sent(r.network.take().at(0).token.value());
  r.pop_all();
  for (std::uint64_t round = 1; round <= 2; ++round) {
    r.hear(kind::vote, 3, 1, "", 10 * round, 100 * round);
    r.hear(kind::vote, 4, 1, "", 1, 2);
    r.engine.vote({.added = 3, .executed = 4});
    auto const up = r.network.take();
    ASSERT_EQ(up.size(), 1U);
    EXPECT_EQ(up[0].head.b, 10 * round + 4);
    EXPECT_EQ(up[0].head.c, 100 * round + 6);
    r.hear(kind::decision, 0, 0);
    r.network.take();
  }
}

TEST(engine_messages, a_failure_stays_known_when_others_drain_without_one) {
  one_rank r;
  r.engine.cancel("of rank 1");
  r.network.take();
  everybody_votes(r);
  one_rank before;
  everybody_votes(before);
  before.hear(kind::drained, 3, 1, "of rank 0");  // what it leaves on the stack is lower than what `r` knows
  r.hear(kind::drained, 3);
  ASSERT_TRUE(r.engine.failed());
  EXPECT_EQ(r.engine.failed()->message, "of rank 1");
  r.hear(kind::drained, 4, 4, "of rank 3");
  EXPECT_EQ(r.engine.failed()->rank, 1U);

  // No rank is higher: a comparison with nothing would take it for the lower one, or not at all.
  constexpr std::uint64_t highest = 0xFFFF'FFFE;
  one_rank other;
  everybody_votes(other);
  other.hear(kind::drained, 3, highest + 1, "of the highest");
  ASSERT_TRUE(other.engine.failed()) << "the first that it hears of";
  EXPECT_EQ(other.engine.failed()->rank, highest);
  other.hear(kind::drained, 4);
  ASSERT_TRUE(other.engine.failed());
}

TEST(engine_messages, who_waits_for_a_reply_or_has_left_does_not_wait_to_leave) {
  one_rank r;
  r.hear(kind::vote, 3, 1);
  r.hear(kind::vote, 4, 1);
  r.engine.vote({});
  r.engine.ask(6, 0);
  r.hear(kind::decision, 0, 1);
  EXPECT_EQ(r.engine.state_in_words(),
            "round 1, waits for tasks from rank 6, 2 of its 2 children in the tree have not drained");
  r.hear_tasks(6, {});
  r.hear(kind::drained, 3);
  r.hear(kind::drained, 4);
  EXPECT_EQ(r.engine.state_in_words(), "round 1, has seen the end and waits to leave");
  r.engine.vote({});
  r.hear(kind::leave, 0);
  EXPECT_EQ(r.engine.state_in_words(), "round 1");
}

/// The queue of another worker.
struct another_queue final : queue_choice {
  explicit another_queue(std::size_t slot_bytes) : queue(slot_bytes) {}
  split_queue& fullest() noexcept override { return queue; }
  split_queue queue;
};

TEST(engine_messages, a_thief_gets_tasks_of_the_queue_that_was_chosen) {
  one_rank r;
  another_queue other(numbers.bytes());
  r.engine.gives_from(other);
  std::uint64_t const slot[2] = {77, 0};
  other.queue.push(slot);
  other.queue.share_all();
  r.add(1);
  r.queue.share_all();
  r.hear(kind::steal_request, 6, 100);
  auto const given = r.network.take().at(0);
  ASSERT_EQ(given.head.a, 1U);
  EXPECT_EQ(given.text(), one_engine::bytes_of_all(std::vector<std::uint64_t>{77, 0}));
}

TEST(engine_messages, what_was_sent_is_given_back_so_that_the_queue_need_not_grow) {
  one_rank r({.owner_answers = true});
  for (int round = 0; round < 20; ++round) {
    for (std::uint64_t n = 0; n < 12; ++n) r.add(n);
    r.hear(kind::steal_request, 6, 100);
    r.engine.on_sent(r.network.take().at(0).token.value());
    r.pop_all();
  }
  EXPECT_EQ(r.queue.capacity(), 16U);
}

}}}}  // namespace skua::v0::ranks
