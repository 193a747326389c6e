// SPDX-License-Identifier: MIT
// What checked builds end the process for: messages that no right rank sends, and counts that do not agree.
#include <gtest/gtest.h>

#include "skua/machine/ranks/protocol/one_engine_for_test.hpp"

namespace skua { inline namespace v0 { namespace ranks { namespace {

using one_engine::mortal, one_engine::numbers, one_engine::one_rank;

class engine_checks_DeathTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!runtime::checked) GTEST_SKIP() << "this build checks no invariants (SKUA_CHECKED=OFF)";
  }
  one_rank r;
  one_rank root{{.me = 0, .ranks = 2}};
};

TEST_F(engine_checks_DeathTest, a_rank_begins_when_it_has_left_and_with_no_request_open) {
  EXPECT_DEATH(r.engine.begin(2), "a rank begins after it left");
  r.engine.ask(6, 0);
  EXPECT_DEATH(r.engine.begin(2), "no request is open when a rank leaves");
}

TEST_F(engine_checks_DeathTest, a_reply_answers_the_request_that_is_open_with_what_it_announces) {
  EXPECT_DEATH(r.hear_tasks(0, {}), "each request has one reply");
  r.engine.ask(6, 0);
  EXPECT_DEATH(r.hear_tasks(5, {}), "each request has one reply");
  EXPECT_DEATH(r.hear(kind::steal_reply, 6, 2, "not two tasks"), "a reply has the tasks that it announces");
  r.hear_tasks(6, {});
  EXPECT_DEATH(r.hear_tasks(6, {}), "each request has one reply");
}

TEST_F(engine_checks_DeathTest, an_engine_gets_messages_of_its_process_only) {
  EXPECT_DEATH(r.hear(kind::alive, 0), "an engine gets messages of process.. only");
  EXPECT_DEATH(r.hear(kind::seeds, 0), "all ranks recover, or none does");
  EXPECT_DEATH(r.engine.on_sent(3), "what was sent had been taken");
}

TEST_F(engine_checks_DeathTest, a_child_votes_once_in_a_round_and_a_decision_follows_the_vote) {
  r.hear(kind::vote, 3, 1);
  r.hear(kind::vote, 4, 1);
  EXPECT_DEATH(r.hear(kind::vote, 4, 1), "a child votes once in a round");
  EXPECT_DEATH(r.hear(kind::decision, 0, 0), "a decision follows the vote");
  r.engine.vote({});
  r.hear(kind::decision, 0, 0);
  EXPECT_DEATH(r.hear(kind::decision, 0, 0), "a decision follows the vote");
}

TEST_F(engine_checks_DeathTest, at_the_end_and_only_then_every_task_has_run_once) {
  root.hear(kind::vote, 1, 0, "", 2, 1);
  root.engine.vote({3, 2});
  EXPECT_FALSE(root.engine.end().ended());
  root.hear(kind::vote, 1, 1, "", 2, 1);
  EXPECT_DEATH(root.engine.vote({3, 3}), "every task ran once");
  root.engine.vote({3, 4});
  EXPECT_TRUE(root.engine.end().ended());
}

TEST_F(engine_checks_DeathTest, a_loss_is_mended_while_the_rank_is_there_and_excuses_the_counts_of_that_process) {
  one_rank mended({.me = 0, .ranks = 2, .shape = mortal});
  mended.enter(1, live_ranks(2));
  mended.hear({.kind = kind::seeds, .sender = 1});
  ASSERT_TRUE(mended.engine.lose(1));
  mended.engine.vote({2, 1});
  mended.engine.vote({2, 1});
  ASSERT_TRUE(mended.engine.has_left());
  live_ranks left(2);
  left.remove(1);
  mended.enter(2, left);
  EXPECT_DEATH(mended.engine.vote({2, 1}), "every task ran once");
  struct nowhere final : tree_outbox {
    void send_vote(rank_number, bool, task_count) override {}
    void send_decision(rank_number, bool) override {}
    void send_drained(rank_number) override {}
    void send_leave(rank_number) override {}
  } out;
  termination end(0, 1, out);
  EXPECT_DEATH(end.begin_again(0, 1), "a loss is mended while the rank is there");
}

TEST_F(engine_checks_DeathTest, packed_tasks_are_whole) {
  slot_shape const blocks{.task_bytes = sizeof(task_block*), .has_block = true};
  std::byte slot[32];
  std::byte const few[12] = {};
  std::span<std::byte const> from(few);
  EXPECT_DEATH(blocks.unpack(from, slot), "packed tasks are whole");
  EXPECT_DEATH(split_queue(0), "a slot has at least one byte");
}

}}}}  // namespace skua::v0::ranks
