// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/protocol/process_engine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "skua/machine/ranks/protocol/post_office.hpp"
#include "skua/machine/ranks/transport/loopback.hpp"
#include "skua/parts/base/dice.hpp"

namespace skua { inline namespace v0 { namespace ranks { namespace {

class nobody final : public receiver {
 public:
  void on_message(message const&) override { ADD_FAILURE() << "a message for the communicator"; }
  void on_sent(std::uint64_t) override { ADD_FAILURE() << "a completion for the communicator"; }
};

/// A task runs for `turns` turns, then spawns `children` tasks of `turns` / 2.
struct toy_task {
  std::uint32_t id = 0;
  std::uint32_t turns = 0;
  std::uint32_t children = 0;
  std::uint32_t depth = 0;
};

constexpr std::uint64_t turn_ns = 1'000'000;

/// Ranks that take turns in a random order, over a network that delays and reorders.
class stage {
 public:
  stage(rank_number ranks, std::uint64_t seed, rank_number on_a_node = 0)
      : network_(ranks, on_a_node, {seed, 3}), dice_(seed) {
    for (rank_number r = 0; r < ranks; ++r) actors_.push_back(std::make_unique<actor>(network_.end_of(r), seed));
  }

  void seed_task(rank_number r, toy_task t) {
    t.id = born_++;
    runs_.push_back(0);
    actors_[r]->queue.push(&t);
    ++actors_[r]->count.added;
  }

  /// Until every rank has left. False: it took more turns than any right run takes.
  bool process(std::uint32_t epoch) {
    for (auto& a : actors_) a->entered = false;
    return go_on(epoch);
  }
  /// Each rank enters the next one as soon as it has left one, with tasks of its own, up to `last`.
  bool process_in_a_row(std::uint32_t first, std::uint32_t last) {
    last_ = last;
    bool const ended = process(first);
    last_ = 0;
    return ended;
  }
  bool go_on(std::uint32_t epoch) {
    for (std::uint64_t turn = 0; turn < 3'000'000; ++turn) {
      auto const r = dice_.below(static_cast<std::uint32_t>(actors_.size()));
      take_turn(*actors_[r], epoch, turn);
      auto const is_done = [&](auto& a) { return a->entered && a->engine.has_left() && a->engine.epoch() >= last_; };
      if (turn % 64 == 0 && std::ranges::all_of(actors_, is_done)) return true;
    }
    return false;
  }

  std::string states() const {
    std::string all;
    for (std::size_t r = 0; r < actors_.size(); ++r) {
      all += "rank " + std::to_string(r) + ": " + actors_[r]->engine.state_in_words() + "\n";
    }
    return all;
  }

  struct actor {
    actor(transport& end, std::uint64_t seed)
        : network(end), queue(sizeof(toy_task)), engine({.collection = 1,
                                                         .seed = seed,
                                                         .owner_answers = seed % 2 == 0,
                                                         .patience_ns = seed % 3 * 2 * turn_ns,
                                                         .oldest_first = seed % 5 < 2,
                                                         .lifelines = seed % 4 == 3},
                                                        queue, end),
          office(none) {}
    transport& network;
    split_queue queue;
    process_engine engine;
    nobody none;
    post_office office;
    task_count count;
    bool entered = false;
    bool running = false;
    toy_task now;
  };

  std::vector<std::unique_ptr<actor>> actors_;
  std::vector<int> runs_;
  loopback_network network_;

 private:
  void take_turn(actor& a, std::uint32_t epoch, std::uint64_t turn) {
    if (!a.entered) {
      if (dice_.below(4) != 0) return;  // ranks come at different times
      a.engine.begin(epoch);
      a.office.open(1, a.engine);
      a.entered = true;
    }
    if (a.engine.has_left()) {
      if (a.engine.epoch() >= last_) return;
      for (std::uint32_t n = dice_.below(6); n > 0; --n) seed_task(a.network.rank(), {0, dice_.below(5), 1, 2});
      a.engine.begin(a.engine.epoch() + 1);
      a.office.open(1, a.engine);
    }
    a.network.poll(a.office);
    a.engine.feed();
    if (a.running) return run_on(a);
    if (a.queue.pop(&a.now)) {
      a.running = true;
    } else if (!a.engine.has_left()) {
      a.engine.idle(a.count, turn * turn_ns);
    }
  }

  void run_on(actor& a) {
    if (a.now.turns > 0) {
      --a.now.turns;
      return;
    }
    if (!a.engine.is_cancelled()) {
      ++runs_[a.now.id];
      for (std::uint32_t c = 0; c < a.now.children; ++c) {
        toy_task child{born_++, dice_.below(3), a.now.depth > 0 ? dice_.below(3) : 0, a.now.depth - 1};
        if (a.now.depth == 0) child.depth = 0;
        runs_.push_back(0);
        a.queue.push(&child);
        ++a.count.added;
      }
    }
    ++a.count.executed;
    a.running = false;
  }

  runtime::dice dice_;
  std::uint32_t born_ = 0;
  std::uint32_t last_ = 0;
};

std::uint64_t schedules() {
  char const* const wanted = std::getenv("SKUA_TEST_SCHEDULES");
  return wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : 400;
}

class ranks_of : public ::testing::TestWithParam<rank_number> {};

TEST_P(ranks_of, run_every_task_once_and_leave_on_every_schedule) {
  rank_number const ranks = GetParam();
  for (std::uint64_t seed = 1; seed <= schedules(); ++seed) {
    SCOPED_TRACE("ranks " + std::to_string(ranks) + ", seed " + std::to_string(seed));
    runtime::dice dice(seed);
    stage s(ranks, seed, 1 + dice.below(4));
    for (std::uint32_t epoch = 1; epoch <= 2; ++epoch) {
      rank_number const owner = dice.below(ranks);
      bool const spread = dice.below(2) == 0;
      for (std::uint32_t n = dice.below(30); n > 0; --n) {
        s.seed_task(spread ? dice.below(ranks) : owner, {0, dice.below(5), dice.below(3), dice.below(4)});
      }
      ASSERT_TRUE(s.process(epoch)) << s.states();
      ASSERT_TRUE(std::ranges::all_of(s.runs_, [](int n) { return n == 1; }));
    }
    ASSERT_EQ(s.network_.under_way(), 0U) << "a message was left behind";
  }
}

TEST_P(ranks_of, lose_no_message_of_a_process_that_others_have_entered_before) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE("ranks " + std::to_string(GetParam()) + ", seed " + std::to_string(seed));
    stage s(GetParam(), seed);
    ASSERT_TRUE(s.process_in_a_row(1, 8)) << s.states();
    ASSERT_TRUE(std::ranges::all_of(s.runs_, [](int n) { return n == 1; }));
    ASSERT_EQ(s.network_.under_way(), 0U);
  }
}

TEST_P(ranks_of, answer_each_request_once) {
  stage s(GetParam(), 5);
  for (int n = 0; n < 200; ++n) s.seed_task(0, {0, 3, 1, 1});
  ASSERT_TRUE(s.process(1)) << s.states();
  steal_counts sum;
  for (auto const& a : s.actors_) {
    sum.attempted += a->engine.counts().attempted;
    sum.asked += a->engine.counts().asked;
    sum.tasks += a->engine.counts().tasks;
    sum.given += a->engine.counts().given;
  }
  EXPECT_EQ(sum.attempted, sum.asked);
  EXPECT_EQ(sum.tasks, sum.given);
  EXPECT_EQ(sum.given > 0, GetParam() > 1);
}

TEST_P(ranks_of, all_report_the_failure_of_the_lowest_rank_that_failed) {
  rank_number const ranks = GetParam();
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    stage s(ranks, seed);
    for (rank_number n = 0; n < 60; ++n) s.seed_task(n % ranks, {0, 3, 1, 1});
    for (auto& a : s.actors_) {
      a->engine.begin(1);
      a->office.open(1, a->engine);
      a->entered = true;
    }
    // Several before they hear of each other. The tree hears of them in the order of its branches, the lowest first in some.
    for (rank_number const fails : {ranks - 1, ranks / 2, ranks / 3})
      s.actors_[fails]->engine.cancel("broken on rank " + std::to_string(fails));
    ASSERT_TRUE(s.go_on(1)) << s.states();
    for (auto const& a : s.actors_) {
      ASSERT_TRUE(a->engine.failed());
      EXPECT_EQ(a->engine.failed()->rank, ranks / 3);
      EXPECT_EQ(a->engine.failed()->message, "broken on rank " + std::to_string(ranks / 3));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(few_and_many, ranks_of, ::testing::Values(1, 2, 3, 4, 5, 7, 8, 17, 33));

TEST(victims, are_others_uniformly_and_first_those_of_the_node) {
  constexpr rank_number ranks = 24;
  victims v(3, 5, ranks, {4, 8});
  std::vector<int> near(ranks);
  std::vector<int> far(ranks);
  for (int n = 0; n < 24'000; ++n) {
    ++near[v.next(0)];
    ++far[v.next(100)];
  }
  for (rank_number r = 0; r < ranks; ++r) {
    EXPECT_EQ(near[r] > 0, r >= 4 && r < 8 && r != 5) << r;
    EXPECT_NEAR(far[r], r == 5 ? 0 : 24'000 / 23, 200) << r;
  }
  EXPECT_EQ(far[5], 0);
}

TEST(victims, are_sought_on_the_node_twice_at_most_and_not_more_often_than_it_has_other_ranks) {
  auto const others_after = [](rank_number last) {
    victims const v(3, 0, 100, {0, last});
    std::uint32_t failed = 0;
    while (!v.draws_anybody(failed)) ++failed;
    return failed;
  };
  EXPECT_EQ(others_after(1), 0U);
  EXPECT_EQ(others_after(2), 1U);
  EXPECT_EQ(others_after(3), 2U);
  EXPECT_EQ(others_after(9), 2U);
}

TEST(victims, of_different_ranks_are_drawn_from_different_streams) {
  victims a(3, 0, 1000, {0, 1});
  victims b(3, 1, 1000, {1, 2});
  int same = 0;
  for (int n = 0; n < 1000; ++n) same += a.next(9) == b.next(9) ? 1 : 0;
  EXPECT_LT(same, 20);
}

}}}}  // namespace skua::v0::ranks
