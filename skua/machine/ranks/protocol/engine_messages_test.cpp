// SPDX-License-Identifier: MIT
// One engine, and every message that it sends: what it answers, whom it tells of a failure, when it asks, and that a new process()
// begins with nothing of the one before. process_engine_test and recovery_test run many of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "skua/machine/ranks/protocol/process_engine.hpp"

namespace skua::inline v0::ranks {
namespace {

constexpr slot_shape numbers{.task_bytes = 8};

struct sent_message {
  rank_number to = 0;
  message_header head;
  std::vector<std::byte> body;
  std::optional<std::uint64_t> token;

  [[nodiscard]] std::string text() const { return {reinterpret_cast<char const*>(body.data()), body.size()}; }
};

class recording final : public transport {
 public:
  recording(rank_number me, rank_number all) : me_(me), all_(all) {}
  [[nodiscard]] rank_number rank() const noexcept override { return me_; }
  [[nodiscard]] rank_number ranks() const noexcept override { return all_; }
  [[nodiscard]] neighbours node() const noexcept override { return {me_, me_ + 1}; }
  void send(rank_number to, message_header head, std::span<std::byte const> body) override {
    sent.push_back({to, head, {body.begin(), body.end()}, std::nullopt});
  }
  void send_in_place(rank_number to, message_header head, std::span<std::byte const> body,
                     std::uint64_t token) override {
    sent.push_back({to, head, {body.begin(), body.end()}, token});
  }
  bool poll(receiver&) override { return false; }
  [[nodiscard]] std::uint64_t now_ns() const noexcept override { return 0; }
  void rest(std::uint32_t) override {}

  /// And forgets them.
  std::vector<sent_message> take() { return std::exchange(sent, {}); }
  std::vector<sent_message> sent;

 private:
  rank_number me_;
  rank_number all_;
};

/// Rank 1 of seven: its parent is 0, its children are 3 and 4.
struct one_rank {
  explicit one_rank(bool owner_answers = false, rank_number me = 1, rank_number ranks = 7)
      : network(me, ranks), queue(numbers.bytes()),
        engine({.collection = 5, .seed = 1, .owner_answers = owner_answers, .shape = numbers}, queue, network) {
    engine.begin(1);
  }

  void add(std::uint64_t n) {
    std::uint64_t const slot[2] = {n, 0};
    queue.push(reinterpret_cast<std::byte const*>(slot));
  }
  void hear(kind what, rank_number from, std::uint64_t a = 0, std::string const& body = "", std::uint64_t b = 0,
            std::uint64_t c = 0) {
    message_header h{.what = what, .collection = 5, .epoch = engine.epoch(), .from = from, .a = a, .b = b, .c = c};
    engine.on_message({h, std::as_bytes(std::span(body))});
  }
  void hear_tasks(rank_number from, std::vector<std::uint64_t> const& tasks) {
    std::string body;
    for (std::uint64_t const t : tasks) {
      std::uint64_t const slot[2] = {t, 0};
      body.append(reinterpret_cast<char const*>(slot), sizeof slot);
    }
    hear(kind::steal_reply, from, tasks.size(), body);
  }
  std::vector<std::uint64_t> pop_all() {
    std::vector<std::uint64_t> all;
    std::uint64_t slot[2];
    while (queue.pop(reinterpret_cast<std::byte*>(slot))) all.push_back(slot[0]);
    return all;
  }
  /// To whom, of what kind.
  std::vector<std::pair<rank_number, kind>> told() {
    std::vector<std::pair<rank_number, kind>> all;
    for (auto const& m : network.take()) all.emplace_back(m.to, m.head.what);
    return all;
  }

  recording network;
  split_queue queue;
  process_engine engine;
};

using told = std::vector<std::pair<rank_number, kind>>;

TEST(engine_messages, a_request_says_how_much_room_there_is_and_is_not_repeated_before_its_reply) {
  one_rank r;
  r.engine.want(0);
  auto const asked = r.network.take();
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_EQ(asked[0].head.what, kind::steal_request);
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

TEST(engine_messages, a_thief_gets_half_of_what_is_shared_once_and_nothing_of_nothing) {
  for (bool const owner_answers : {false, true}) {
    one_rank r(owner_answers);
    r.hear(kind::steal_request, 6, 100);
    auto empty = r.network.take();
    ASSERT_EQ(empty.size(), 1U);
    EXPECT_EQ(empty[0].to, 6U);
    EXPECT_EQ(empty[0].head.what, kind::steal_reply);
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

TEST(engine_messages, it_has_left_only_when_what_it_sent_has_been_copied) {
  one_rank r(true, 0, 2);
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
    EXPECT_EQ(sent[i].head.what, kind::cancel);
    EXPECT_EQ(sent[i].head.a, 2U) << "its rank, and one";
    EXPECT_EQ(sent[i].text(), "no such file");
  }
  r.engine.cancel("something else");
  r.hear(kind::cancel, 3, 4, "that of rank 3");
  EXPECT_EQ(r.told(), told{}) << "it knows that";
  ASSERT_TRUE(r.engine.failed());
  EXPECT_EQ(r.engine.failed()->rank, 1U);
  EXPECT_EQ(r.engine.failed()->what, "no such file");

  one_rank other;
  other.hear(kind::cancel, 3, 4, "that of rank 3");
  EXPECT_EQ(other.told(), (told{{0, kind::cancel}, {3, kind::cancel}, {4, kind::cancel}}));
  ASSERT_TRUE(other.engine.failed());
  EXPECT_EQ(other.engine.failed()->rank, 3U);
  EXPECT_EQ(other.engine.failed()->what, "that of rank 3");
  for (std::uint64_t n = 0; n < 4; ++n) other.add(n);
  other.queue.share_all();
  other.hear(kind::steal_request, 6, 100);
  EXPECT_EQ(other.network.take().at(0).head.a, 0U) << "others drop theirs, too";
}

TEST(engine_messages, a_root_that_fails_has_no_parent_to_tell) {
  one_rank root(false, 0);
  root.engine.cancel("x");
  EXPECT_EQ(root.told(), (told{{1, kind::cancel}, {2, kind::cancel}}));
  one_rank leaf(false, 6);
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
  EXPECT_EQ(up[0].head.what, kind::vote);
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
            "round 1, 1 of its 2 children in the tree have not drained, knows of the end and "
            "waits to leave");
  r.hear(kind::drained, 4, 1, "of rank 0");
  r.engine.vote({});
  auto const up = r.network.take();
  ASSERT_EQ(up.size(), 1U);
  EXPECT_EQ(up[0].to, 0U);
  EXPECT_EQ(up[0].head.what, kind::drained);
  EXPECT_EQ(up[0].head.a, 1U) << "rank 0 is the lowest";
  EXPECT_EQ(up[0].text(), "of rank 0");
  EXPECT_FALSE(r.engine.has_left());
  r.hear(kind::leave, 0, 1, "of rank 0, in the end");
  auto const down = r.network.take();
  ASSERT_EQ(down.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(down[i].to, 3 + i);
    EXPECT_EQ(down[i].head.what, kind::leave);
    EXPECT_EQ(down[i].head.a, 1U);
    EXPECT_EQ(down[i].text(), "of rank 0, in the end");
  }
  EXPECT_TRUE(r.engine.has_left());
}

TEST(engine_messages, a_round_in_which_somebody_was_stolen_from_is_followed_by_another) {
  one_rank r(true);
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

// ---- what is remembered for a rank that dies ---------------------------------------------------------------------------

constexpr slot_shape mortal{.task_bytes = 8, .has_identity = true};

task_bytes slots(std::vector<std::uint64_t> const& tasks) {
  task_bytes all(tasks.size() * mortal.bytes());
  for (std::size_t i = 0; i < tasks.size(); ++i) std::memcpy(all.data() + i * mortal.bytes(), &tasks[i], 8);
  return all;
}
std::vector<std::uint64_t> tasks_in(task_bytes const& from) {
  std::vector<std::uint64_t> all(from.size() / mortal.bytes());
  for (std::size_t i = 0; i < all.size(); ++i) std::memcpy(&all[i], from.data() + i * mortal.bytes(), 8);
  return all;
}

TEST(recovery_log, gives_back_what_was_lent_to_the_dead_and_what_it_kept_for_them_once) {
  recovery_log log(mortal);
  task_bytes own = slots({1, 2});
  log.begin(1, own);
  EXPECT_EQ(tasks_in(log.seeds()), (std::vector<std::uint64_t>{1, 2}));
  EXPECT_NE(mortal.identity_of(own.data()).number, mortal.identity_of(own.data() + mortal.bytes()).number);
  task_bytes lent = own;
  log.lent(2, lent);
  EXPECT_EQ(mortal.identity_of(lent.data()).hop, 1U);
  log.keep(2, 0, slots({7}));
  EXPECT_TRUE(log.keeps(2, 0));
  EXPECT_FALSE(log.keeps(2, 1));
  EXPECT_FALSE(log.keeps(3, 0));
  live_ranks live(4);
  EXPECT_TRUE(log.run_again(live, {}).empty()) << "nobody is dead";
  live.remove(2);
  EXPECT_EQ(tasks_in(log.run_again(live, {})), (std::vector<std::uint64_t>{1, 2, 7}));
  EXPECT_EQ(tasks_in(log.seeds()), (std::vector<std::uint64_t>{1, 2, 7})) << "its keeper must have those, too";
  EXPECT_TRUE(log.run_again(live, {}).empty()) << "once";
}

TEST(recovery_log, holds_back_what_a_live_rank_took_further_from_a_dead_one) {
  recovery_log log(mortal);
  task_bytes own = slots({1, 2});
  log.begin(1, own);
  std::uint64_t const first = mortal.identity_of(own.data()).number;
  std::uint64_t const second = mortal.identity_of(own.data() + mortal.bytes()).number;
  task_bytes lent = own;
  log.lent(2, lent);
  live_ranks live(4);
  live.remove(2);
  // Somebody took the first one from rank 2, after the hop to it; of the second it knows no more than we do.
  EXPECT_EQ(tasks_in(log.run_again(live, {{first, 2}, {second, 1}})), (std::vector<std::uint64_t>{2}));
  EXPECT_TRUE(log.held_back(own.data()));
  task_bytes other = slots({9});
  mortal.set_identity(other.data(), {12'345, 0});
  EXPECT_FALSE(log.held_back(other.data()));
  EXPECT_EQ(tasks_in(log.run_again(live, {})), (std::vector<std::uint64_t>{1, 1})) << "who had it is dead";
}

TEST(recovery_log, knows_what_it_took_from_the_dead_by_the_largest_hop) {
  recovery_log log(mortal);
  task_bytes none;
  log.begin(1, none);
  task_bytes got = slots({5, 6});
  mortal.set_identity(got.data(), {50, 3});
  mortal.set_identity(got.data() + mortal.bytes(), {60, 1});
  log.took(2, got);
  mortal.set_identity(got.data(), {50, 2});
  log.took(2, got);
  log.took(3, got);
  live_ranks live(4);
  EXPECT_TRUE(log.taken_from_dead(live).empty());
  live.remove(2);
  EXPECT_EQ(log.taken_from_dead(live), (taken_tasks{{50, 3}, {60, 1}}));
}

TEST(recovery_log, begins_anew_with_nothing) {
  recovery_log log(mortal);
  task_bytes own = slots({1, 2});
  log.begin(1, own);
  task_bytes lent = own;
  log.lent(2, lent);
  log.took(3, own);
  log.keep(2, 4, slots({7}));
  live_ranks live(5);
  live.remove(4);
  static_cast<void>(log.run_again(live, {{mortal.identity_of(own.data()).number, 9}}));
  task_bytes held = own;
  EXPECT_TRUE(log.held_back(held.data()));
  task_bytes next = slots({3});
  log.begin(1, next);
  EXPECT_EQ(tasks_in(log.seeds()), (std::vector<std::uint64_t>{3}));
  EXPECT_FALSE(log.keeps(2, 4));
  EXPECT_FALSE(log.held_back(own.data()));
  live.remove(2);
  live.remove(3);
  EXPECT_TRUE(log.taken_from_dead(live).empty());
  EXPECT_TRUE(log.run_again(live, {}).empty());
  log.keep(2, 0, slots({8}));
  EXPECT_TRUE(log.keeps(2, 0)) << "a generation counts within one process()";
}

TEST(recovery_log, keeps_the_seeds_of_the_youngest_generation) {
  recovery_log log(mortal);
  task_bytes none;
  log.begin(1, none);
  log.keep(2, 3, slots({7}));
  log.keep(2, 1, slots({5}));
  EXPECT_TRUE(log.keeps(2, 3));
  log.keep(2, 3, slots({8}));
  log.keep(2, 4, slots({9}));
  EXPECT_TRUE(log.keeps(2, 4));
  live_ranks live(3);
  live.remove(2);
  EXPECT_EQ(tasks_in(log.run_again(live, {})), (std::vector<std::uint64_t>{9}));
}

}  // namespace
}  // namespace skua::inline v0::ranks
