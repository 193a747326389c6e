// SPDX-License-Identifier: MIT
// Urgency across workers, one step at a time: which tasks are offered, who takes them, and when a worker looks.
#include "skua/parts/ordered/urgency_board.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "skua/parts/base/dice.hpp"
#include "skua/parts/ordered/ordered_lane.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

double number(void const* value) { return *static_cast<double const*>(value); }
double key(void const* value, requester const&) { return number(value); }
constexpr strategy_kind global{.key = key, .global_key = number};
constexpr strategy_kind other_global{.key = key, .global_key = number};
constexpr strategy_kind local{.key = key};

/// Workers whose tasks are numbers, and a clock that the test sets.
class team {
 public:
  static constexpr std::uint64_t period = 1000;

  explicit team(std::uint32_t workers) : board_(workers) {
    for (std::uint32_t w = 0; w < workers; ++w) {
      lanes_.push_back(std::make_unique<ordered_lane>(worker_id{w}, std::vector<std::uint32_t>(workers, 1), true));
      lanes_.back()->exchange_urgent(board_, period);
    }
  }
  void push(std::uint32_t w, double urgency, strategy_kind const& kind = global) {
    all_.push_back(std::make_unique<double>(urgency));
    ASSERT_TRUE(lanes_[w]->push(
        {.task = all_.back().get(), .group = this, .kind = &kind, .value = &urgency, .value_size = sizeof(urgency)}));
  }
  /// The worker from which a task was brought.
  std::optional<std::uint32_t> look(std::uint32_t w) {
    auto const brought = lanes_[w]->bring_urgent([this] { return now; });
    return brought ? std::optional(index(brought->from)) : std::nullopt;
  }
  /// Looks after more than a period, and pops. True if it got a task.
  bool turn(std::uint32_t w) {
    now += 2 * period;
    static_cast<void>(look(w));
    return pop(w);
  }
  bool pop(std::uint32_t w) {
    taken_task t;
    if (lanes_[w]->pop(t) != outcome::got) return false;
    popped = *static_cast<double*>(t.task);
    return true;
  }
  ordered_lane& lane(std::uint32_t w) { return *lanes_[w]; }
  region_urgency& board() { return board_; }

  std::uint64_t now = 10 * period;
  double popped = 0;  ///< the urgency of the task that was popped last

 private:
  region_urgency board_;
  std::vector<std::unique_ptr<ordered_lane>> lanes_;
  std::vector<std::unique_ptr<double>> all_;  ///< the tasks
};

TEST(urgency_word, keys_are_in_the_order_of_the_numbers) {
  double const all[] = {-std::numeric_limits<double>::infinity(), -1e9, -1, -1e-9, 0, 1e-9, 1, 2, 1e9,
                        std::numeric_limits<double>::infinity()};
  for (std::size_t i = 0; i + 1 < std::size(all); ++i) {
    EXPECT_TRUE(urgency_word(all[i], 0).goes_before(urgency_word(all[i + 1], 0))) << all[i];
    EXPECT_FALSE(urgency_word(all[i + 1], 0).goes_before(urgency_word(all[i], 0))) << all[i];
  }
  EXPECT_FALSE(urgency_word(-0.0, 0).goes_before(urgency_word(0.0, 0)));
}

TEST(urgency_word, no_number_is_no_offer_and_none_is_behind_all) {
  EXPECT_TRUE(urgency_word(std::nan(""), 3).is_none());
  EXPECT_TRUE(urgency_word(std::numeric_limits<double>::infinity(), 15).goes_before({}));
  EXPECT_TRUE(urgency_word{}.with(7).is_none());
  EXPECT_EQ(urgency_word(1, 2).with(7).version(), 7);
}

TEST(urgency_board, worker_takes_the_more_urgent_task_of_another_before_its_own) {
  team t(3);
  t.push(0, 5);
  t.push(1, 3);
  t.push(2, 4);
  EXPECT_EQ(t.look(0), 1U);
  EXPECT_EQ(t.lane(0).size(), 2U);
  EXPECT_TRUE(t.lane(1).looks_empty());
}

TEST(urgency_board, worker_leaves_tasks_that_are_no_more_urgent_than_its_own) {
  team t(2);
  t.push(0, 5);
  t.push(1, 5);
  EXPECT_EQ(t.look(0), std::nullopt);
  EXPECT_EQ(t.look(1), std::nullopt);
}

TEST(urgency_board, worker_without_tasks_takes_the_most_urgent) {
  team t(3);
  t.push(1, 7);
  t.push(2, 6);
  EXPECT_EQ(t.look(0), 2U);
}

TEST(urgency_board, worker_looks_once_in_a_period) {
  team t(2);
  t.push(0, 9);
  t.push(1, 1);
  t.push(1, 1);
  EXPECT_EQ(t.look(0), 1U);
  ASSERT_TRUE(t.pop(0));
  t.now += team::period - 1;
  EXPECT_EQ(t.look(0), std::nullopt);
  t.now += 1;
  EXPECT_EQ(t.look(0), 1U);
}

/// The bound for short tasks: it reads the clock once in most_unwatched + 1 pops at least.
TEST(urgency_board, short_tasks_delay_a_look_by_fifteen_tasks_at_most) {
  team t(2);
  for (int i = 0; i < 500; ++i) t.push(0, 100 + i);
  for (int i = 0; i < 200; ++i) {  // tasks of no length
    static_cast<void>(t.look(0));
    ASSERT_TRUE(t.pop(0));
  }
  t.push(1, 1);
  int turns = 0;
  for (bool brought = false; !brought; ++turns) {
    ASSERT_LE(turns, 15);
    t.now += 2 * team::period;  // long ones
    brought = t.look(0).has_value();
    ASSERT_TRUE(t.pop(0));
  }
}

TEST(urgency_board, tasks_of_different_types_are_not_compared) {
  team t(2);
  t.push(0, 9, other_global);
  t.push(1, 1);
  EXPECT_EQ(t.look(0), std::nullopt);
}

TEST(urgency_board, tasks_without_a_global_key_are_neither_offered_nor_left) {
  team t(2);
  t.push(0, 9, local);
  t.push(1, 1, local);
  EXPECT_FALSE(t.board().in_use());
  t.push(1, 1);
  EXPECT_EQ(t.look(0), std::nullopt);
}

TEST(urgency_board, offer_of_a_task_that_is_gone_decays) {
  team t(2);
  t.push(0, 9);
  t.push(1, 1);
  ASSERT_TRUE(t.pop(1));  // without a look, so the word stays
  EXPECT_FALSE(t.board().of(worker_id{1}).is_none());
  EXPECT_EQ(t.look(0), std::nullopt);
  EXPECT_TRUE(t.board().of(worker_id{1}).is_none());
}

TEST(urgency_board, thief_offers_the_next_of_the_tasks_that_the_owner_offered) {
  team t(2);
  t.push(0, 9);
  for (double const u : {4, 3, 2}) t.push(1, u);
  EXPECT_EQ(t.look(0), 1U);
  EXPECT_FALSE(t.board().of(worker_id{1}).goes_before(urgency_word(3, 0)));
  EXPECT_FALSE(urgency_word(3, 0).goes_before(t.board().of(worker_id{1})));
}

TEST(urgency_board, owner_that_has_looked_offers_its_next_task) {
  team t(2);
  for (double const u : {1, 2, 3}) t.push(0, u);
  ASSERT_TRUE(t.turn(0));
  EXPECT_FALSE(urgency_word(1, 0).goes_before(urgency_word(0, 0)));
  EXPECT_TRUE(urgency_word(1, 0).goes_before(t.board().of(worker_id{0})));
  ASSERT_TRUE(t.turn(0));
  ASSERT_TRUE(t.turn(0));
  EXPECT_TRUE(t.board().of(worker_id{0}).is_none());
}

TEST(urgency_board, nothing_stale_is_offered_after_a_compaction) {
  team t(2);
  t.push(1, 1e9);
  for (int i = 0; i < 4000; ++i) {  // one slot of many is live
    t.push(0, i);
    if (i >= 2) {
      ASSERT_TRUE(t.pop(0));
    }
  }
  std::uint64_t brought = 0;
  while (t.turn(1)) ++brought;
  EXPECT_EQ(brought + t.lane(0).size(), 3U);
}

/// How many more urgent tasks wait when a task begins, on average, where eight workers push and begin tasks at random. The workers
/// look before each task, or never.
double mean_rank(std::uint64_t seed, bool looks) {
  constexpr std::uint32_t workers = 8;
  dice roll{seed};
  team t(workers);
  std::vector<std::uint32_t> waiting;
  double ranks = 0;
  int begun = 0;
  for (int step = 0; step < 4000; ++step) {
    std::uint32_t const w = roll.below(workers);
    if (roll.below(2) == 0 || t.lane(w).looks_empty()) {
      waiting.push_back(roll.below(1000));
      t.push(w, waiting.back());
      continue;
    }
    t.now += 2 * team::period;
    if (looks) static_cast<void>(t.look(w));
    if (!t.pop(w)) continue;
    auto const first = static_cast<std::uint32_t>(t.popped);
    ranks += static_cast<double>(std::ranges::count_if(waiting, [first](std::uint32_t u) { return u < first; }));
    waiting.erase(std::ranges::find(waiting, first));
    ++begun;
  }
  return ranks / begun;
}

TEST(urgency_board, order_of_all_workers_is_nearer_to_that_of_one_queue) {
  for (std::uint64_t const seed : {1U, 2U, 3U}) {
    SCOPED_TRACE(seed);
    double const without = mean_rank(seed, false);
    double const with = mean_rank(seed, true);
    EXPECT_GT(without, 4);
    EXPECT_LT(with, without / 2) << without;
  }
}

}}}}  // namespace skua::v0::runtime
