// SPDX-License-Identifier: MIT
#include "skua/parts/queue/tagged_queue.hpp"
#include "tests/programs/wait_until.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <thread>
#include <vector>

namespace skua { inline namespace v0 { namespace runtime { namespace {

constexpr auto any = [](int) { return true; };

TEST(tagged_queue, both_ends_and_a_wish) {
  tagged_queue<int> f;
  EXPECT_TRUE(f.looks_empty());
  for (int i = 1; i <= 5; ++i) EXPECT_TRUE(f.push(i));
  int got = 0;
  EXPECT_EQ(f.take_newest(got, any), outcome::got);
  EXPECT_EQ(got, 5);
  EXPECT_EQ(f.take_oldest(got, any), outcome::got);
  EXPECT_EQ(got, 1);
  EXPECT_EQ(f.take_oldest(got, [](int i) { return i > 2; }), outcome::got);
  EXPECT_EQ(got, 3);
  EXPECT_EQ(f.take_newest(got, [](int i) { return i > 4; }), outcome::barred);
  EXPECT_EQ(got, 3);
  EXPECT_EQ(f.take_newest(got, any), outcome::got);
  EXPECT_EQ(got, 4);
  EXPECT_FALSE(f.looks_empty());
  EXPECT_EQ(f.take_newest(got, any), outcome::got);
  EXPECT_EQ(got, 2);
  EXPECT_EQ(f.take_newest(got, any), outcome::empty);
  EXPECT_TRUE(f.looks_empty());
}

TEST(tagged_queue, a_slot_holds_one) {
  tagged_queue<int> f;
  EXPECT_TRUE(f.push_if_empty(1));
  EXPECT_FALSE(f.push_if_empty(2));
  int got = 0;
  EXPECT_EQ(f.take_oldest(got, any), outcome::got);
  EXPECT_EQ(got, 1);
  EXPECT_TRUE(f.push_if_empty(3));
}

TEST(tagged_queue, a_look_at_either_end_takes_nothing) {
  tagged_queue<int> f;
  auto const is = [](int wanted) { return [wanted](int i) { return i == wanted; }; };
  EXPECT_FALSE(f.oldest_is(any) || f.newest_is(any));
  for (int i = 1; i <= 4; ++i) {  // the newest lies in the slot, or not
    EXPECT_TRUE(f.push(i));
    EXPECT_TRUE(f.oldest_is(is(1)) && f.newest_is(is(i)));
    EXPECT_FALSE(f.newest_is(is(i + 1)) || f.oldest_is(is(2)));
  }
  int got = 0;
  for (int i = 1; i <= 4; ++i) {
    EXPECT_TRUE(f.oldest_is(is(i)) && f.newest_is(is(4)));
    EXPECT_EQ(f.take_oldest(got, any), outcome::got);
  }
  EXPECT_FALSE(f.oldest_is(any) || f.newest_is(any));
}

TEST(tagged_queue, what_many_put_in_comes_out_once) {
  constexpr int each = 20'000;
  tagged_queue<int> f;
  std::atomic<long> sum{0};
  std::atomic<int> taken{0};
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 2; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < each; ++i) EXPECT_TRUE(f.push(t * each + i));
      });
      threads.emplace_back([&, t] {
        testing::patience until("everything that was put in comes out");
        while (taken.load(std::memory_order_relaxed) < 2 * each) {
          int got = 0;
          auto const half = [t](int i) { return i % 2 == t; };
          if ((t == 0 ? f.take_newest(got, half) : f.take_oldest(got, half)) != outcome::got) {
            if (!until.lasts()) return;
            continue;
          }
          sum.fetch_add(got, std::memory_order_relaxed);
          taken.fetch_add(1, std::memory_order_relaxed);
        }
      });
    }
  }
  EXPECT_EQ(sum.load(std::memory_order_relaxed), static_cast<long>(2 * each) * (2 * each - 1) / 2);
  EXPECT_TRUE(f.looks_empty());
}

}}}}  // namespace skua::v0::runtime
