// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/queue/split_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <thread>
#include <vector>

#include "skua/parts/base/dice.hpp"
#include "skua/parts/base/error.hpp"

namespace skua { inline namespace v0 { namespace ranks { namespace {

using number = std::uint64_t;

std::vector<number> numbers_in(split_queue::range const& r) {
  std::vector<number> all(r.tasks());
  std::memcpy(all.data(), r.bytes().data(), r.bytes().size());
  return all;
}

void push(split_queue& q, number n) { q.push(&n); }

number pop(split_queue& q) {
  number n = ~number{0};
  EXPECT_TRUE(q.pop(&n));
  return n;
}

TEST(split_queue, the_owner_takes_the_newest_first) {
  split_queue q(sizeof(number));
  for (number n = 0; n < 100; ++n) push(q, n);
  for (number n = 100; n-- > 0;) EXPECT_EQ(pop(q), n);
  number none = 0;
  EXPECT_FALSE(q.pop(&none));
}

TEST(split_queue, a_thief_takes_half_of_what_is_shared_from_the_old_end) {
  split_queue q(sizeof(number));
  for (number n = 0; n < 16; ++n) push(q, n);
  number const shared = q.shared();
  ASSERT_GT(shared, 0U);
  auto const taken = q.steal(1000);
  EXPECT_EQ(taken.tasks(), (shared + 1) / 2);
  for (number n = 0; n < taken.tasks(); ++n) EXPECT_EQ(numbers_in(taken)[n], n);
  q.give_back(taken);
  EXPECT_EQ(q.size(), 16 - taken.tasks());
}

TEST(split_queue, a_thief_takes_a_task_that_goes_alone_alone) {
  split_queue q(sizeof(number));
  for (number n = 0; n < 16; ++n) push(q, n);
  q.share_all();
  auto const is_odd = [](std::byte const* slot) {
    number n = 0;
    std::memcpy(&n, slot, sizeof n);
    return n % 2 == 1;
  };
  for (number const wanted : {8U, 4U, 2U, 1U, 1U}) {
    auto const taken = q.steal(1000, is_odd);
    EXPECT_EQ(taken.tasks(), wanted) << "the oldest are 0, 8, 12, 14 and 15";
    q.give_back(taken);
  }
  EXPECT_TRUE(q.empty());
  for (number const n : {1U, 2U, 3U, 4U}) push(q, n);
  q.share_all();
  for (number const wanted : {1U, 2U, 1U}) {
    auto const taken = q.steal(1000, is_odd);
    EXPECT_EQ(taken.tasks(), wanted) << "the oldest are 1, 2 and 4";
    q.give_back(taken);
  }
  push(q, 5);
  q.share_all();
  EXPECT_EQ(q.steal(0, is_odd).tasks(), 0U) << "no room";
}

TEST(split_queue, a_thief_takes_no_more_than_it_has_room_for) {
  split_queue q(sizeof(number));
  for (number n = 0; n < 16; ++n) push(q, n);
  auto const taken = q.steal(1);
  EXPECT_EQ(taken.tasks(), 1U);
  q.give_back(taken);
  EXPECT_EQ(q.steal(0).tasks(), 0U);
}

TEST(split_queue, the_last_private_task_is_never_shared) {
  split_queue q(sizeof(number));
  push(q, 7);
  EXPECT_EQ(q.steal(10).tasks(), 0U);
  EXPECT_EQ(pop(q), 7U);
}

TEST(split_queue, an_owner_that_answers_shares_all_but_what_it_runs_next) {
  split_queue q(sizeof(number));
  q.share_all_but_one();
  EXPECT_EQ(q.shared(), 0U) << "of nothing";
  push(q, 0);
  q.share_all_but_one();
  EXPECT_EQ(q.shared(), 0U) << "of one";
  for (number n = 1; n < 16; ++n) push(q, n);
  q.share_all_but_one();
  EXPECT_EQ(q.shared(), 15U);
  auto const taken = q.steal(100);
  EXPECT_EQ(taken.tasks(), 8U);
  q.give_back(taken);
  for (number n = 16; n-- > 8;) EXPECT_EQ(pop(q), n);
  EXPECT_TRUE(q.empty());
}

// The paper's acquireFromShared takes min(1/2, 1) = 0 tasks here, and its caller pops what is not there.
TEST(split_queue, one_shared_task_can_be_taken_back) {
  split_queue q(sizeof(number));
  push(q, 1);
  push(q, 2);
  ASSERT_EQ(q.shared(), 1U);
  EXPECT_EQ(pop(q), 2U);
  EXPECT_EQ(pop(q), 1U);
  EXPECT_TRUE(q.empty());
}

// The paper's acquireFromShared returns with the lock held here.
TEST(split_queue, an_empty_queue_can_be_asked_again_and_again) {
  split_queue q(sizeof(number));
  number none = 0;
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(q.pop(&none));
    EXPECT_EQ(q.steal(1).tasks(), 0U);
  }
}

// The paper's deque is empty after these steps, with four tasks in it.
TEST(split_queue, a_full_ring_whose_shared_tasks_were_taken_keeps_its_private_ones) {
  split_queue q(sizeof(number), 4);
  for (number n = 0; n < 4; ++n) push(q, n);
  auto const taken = q.steal(4);
  ASSERT_GE(taken.tasks(), 1U);
  q.give_back(taken);
  push(q, 4);
  std::vector<number> left;
  number n = 0;
  while (q.pop(&n)) left.push_back(n);
  EXPECT_EQ(left.size(), 5 - taken.tasks());
}

TEST(split_queue, a_full_ring_grows_and_keeps_what_is_being_sent) {
  split_queue q(sizeof(number));
  for (number n = 0; n < 16; ++n) push(q, n);
  auto const taken = q.steal(100);
  auto const before = numbers_in(taken);
  for (number n = 16; n < 1000; ++n) push(q, n);
  EXPECT_EQ(numbers_in(taken), before);
  q.give_back(taken);
  EXPECT_GE(q.capacity(), 512U);
  std::vector<bool> seen(1000);
  for (number n : before) seen[n] = true;
  number n = 0;
  while (q.pop(&n)) {
    EXPECT_FALSE(seen[n]);
    seen[n] = true;
  }
  EXPECT_TRUE(std::ranges::all_of(seen, [](bool b) { return b; }));
}

TEST(split_queue, slots_that_came_back_are_used_again_also_after_it_has_grown) {
  split_queue q(sizeof(number));
  number next = 0;
  for (number const capacity : {16U, 32U}) {
    while (q.size() < capacity) push(q, next++);
    q.share_all();
    auto const taken = q.steal(8);
    EXPECT_EQ(taken.tasks(), 8U);
    q.give_back(taken);
    while (q.size() < capacity) push(q, next++);
    EXPECT_EQ(q.capacity(), capacity);
    push(q, next++);
    EXPECT_EQ(q.capacity(), 2 * capacity);
  }
  for (number n = next; n-- > 16;) EXPECT_EQ(pop(q), n);
  EXPECT_TRUE(q.empty());
}

TEST(split_queue, at_its_limit_it_says_so_and_loses_nothing) {
  split_queue q(sizeof(number), 4);
  for (number n = 0; n < 4; ++n) push(q, n);
  EXPECT_THROW(push(q, 4), resource_error);
  for (number n = 4; n-- > 0;) EXPECT_EQ(pop(q), n);
  push(q, 9);
  EXPECT_EQ(pop(q), 9U);
}

TEST(split_queue, slots_in_flight_are_not_overwritten) {
  split_queue q(sizeof(number), 8);
  for (number n = 0; n < 8; ++n) push(q, n);
  auto const first = q.steal(8);
  auto const second = q.steal(8);
  ASSERT_GT(first.tasks(), 0U);
  q.give_back(second);  // out of order
  auto const before = numbers_in(first);
  for (number n = 0; n < 100; ++n) {
    try {
      push(q, 100 + n);
    } catch (resource_error const&) {
      break;
    }
  }
  EXPECT_EQ(numbers_in(first), before);
  q.give_back(first);
}

struct walk {
  number limit;
  number seed;
};

class random_walks : public ::testing::TestWithParam<walk> {};

// Against a plain deque: what the owner and thieves take, with completions in any order, is what was put in, once.
TEST_P(random_walks, take_out_what_was_put_in_once) {
  auto const [limit, seed] = GetParam();
  SCOPED_TRACE("limit " + std::to_string(limit) + ", seed " + std::to_string(seed));
  runtime::dice dice(seed);
  split_queue q(sizeof(number), limit);
  std::deque<number> model;
  std::vector<std::pair<split_queue::range, std::vector<number>>> in_flight;
  number next = 0;
  for (int step = 0; step < 20'000; ++step) {
    switch (dice.below(4)) {
      case 0:
      case 1:
        try {
          push(q, next);
          model.push_back(next++);
        } catch (resource_error const&) {}
        break;
      case 2: {
        number got = 0;
        ASSERT_EQ(q.pop(&got), !model.empty());
        if (model.empty()) break;
        ASSERT_EQ(got, model.back());
        model.pop_back();
        break;
      }
      default: {
        if (!in_flight.empty() && dice.below(2) == 0) {
          std::swap(in_flight[dice.below(static_cast<std::uint32_t>(in_flight.size()))], in_flight.back());
          ASSERT_EQ(numbers_in(in_flight.back().first), in_flight.back().second);
          q.give_back(in_flight.back().first);
          in_flight.pop_back();
          break;
        }
        if (dice.below(3) == 0) q.share_all_but_one();
        auto const taken = q.steal(dice.below(6));
        std::vector<number> expected(model.begin(), model.begin() + static_cast<std::ptrdiff_t>(taken.tasks()));
        ASSERT_EQ(numbers_in(taken), expected);
        model.erase(model.begin(), model.begin() + static_cast<std::ptrdiff_t>(taken.tasks()));
        if (taken.tasks() > 0) in_flight.emplace_back(taken, expected);
      }
    }
    ASSERT_EQ(q.size(), model.size());
    ASSERT_LE(q.shared(), q.size());
  }
}

std::vector<walk> walks() {
  std::vector<walk> all;
  for (number const limit : std::initializer_list<number>{1, 2, 3, 4, 5, 8, 16, 1 << 20}) {
    for (number seed = 1; seed <= 3; ++seed) all.push_back({limit, seed});
  }
  return all;
}
INSTANTIATE_TEST_SUITE_P(of_any_limit, random_walks, ::testing::ValuesIn(walks()));

TEST(split_queue, an_owner_and_thieves_on_threads_take_every_task_once) {
  constexpr number tasks = 200'000;
  constexpr unsigned thieves = 3;
  split_queue q(sizeof(number));
  std::atomic<bool> done{false};
  std::vector<std::vector<number>> got(thieves + 1);
  std::vector<std::jthread> all;
  for (unsigned t = 0; t < thieves; ++t) {
    all.emplace_back([&, t] {
      while (!done.load(std::memory_order_acquire)) {
        auto const taken = q.steal(64);
        for (number n : numbers_in(taken)) got[t].push_back(n);
        q.give_back(taken);
        std::this_thread::yield();
      }
    });
  }
  runtime::dice dice(11);
  for (number n = 0; n < tasks;) {
    for (number burst = dice.below(30) + 1; burst > 0 && n < tasks; --burst) push(q, n++);
    if (dice.below(4) == 0) q.share_all_but_one();
    number one = 0;
    for (number pops = dice.below(20); pops > 0 && q.pop(&one); --pops) got[thieves].push_back(one);
  }
  number one = 0;
  while (q.pop(&one)) got[thieves].push_back(one);
  done.store(true, std::memory_order_release);
  all.clear();
  std::vector<number> sum;
  for (auto const& each : got) sum.insert(sum.end(), each.begin(), each.end());
  std::ranges::sort(sum);
  ASSERT_EQ(sum.size(), tasks);
  for (number n = 0; n < tasks; ++n) ASSERT_EQ(sum[n], n);
}

}}}}  // namespace skua::v0::ranks
