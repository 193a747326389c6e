// SPDX-License-Identifier: MIT
#include "skua/parts/queue/injector.hpp"
#include "tests/programs/wait_until.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

namespace {

struct job : skua::runtime::injectable {
  int producer = 0;
  int number = 0;
  int taken = 0;
};

}  // namespace

TEST(injector, first_in_first_out) {
  skua::runtime::injector<> in;
  std::array<job, 3> jobs;
  EXPECT_TRUE(in.looks_empty());
  EXPECT_EQ(in.pop(), nullptr);
  for (auto& j : jobs) in.push(j);
  EXPECT_EQ(in.size_hint(), 3U);
  for (auto& j : jobs) EXPECT_EQ(in.pop(), &j);
  EXPECT_EQ(in.pop(), nullptr);
  EXPECT_TRUE(in.looks_empty());
  in.push(jobs[1]);  // a job may come again once it was taken
  EXPECT_EQ(in.pop(), &jobs[1]);
}

TEST(injector, an_item_can_be_taken_out_wherever_it_is) {
  for (std::size_t out = 0; out < 3; ++out) {
    skua::runtime::injector<> in;
    std::array<job, 3> jobs;
    for (auto& j : jobs) in.push(j);
    EXPECT_TRUE(in.remove(jobs[out]));
    EXPECT_FALSE(in.remove(jobs[out])) << "it is here no more";
    EXPECT_EQ(in.size_hint(), 2U);
    in.push(jobs[out]);  // at the end, also if the last one was taken out
    EXPECT_EQ(in.pop(), &jobs[out == 0 ? 1 : 0]);
    EXPECT_EQ(in.pop(), &jobs[out == 2 ? 1 : 2]);
    EXPECT_EQ(in.pop(), &jobs[out]);
    EXPECT_FALSE(in.remove(jobs[0]));
  }
}

TEST(injector, dying_with_an_item_inside_is_a_broken_invariant) {
  if constexpr (!skua::runtime::checked) GTEST_SKIP() << "this build checks no invariants (SKUA_CHECKED=OFF)";
  EXPECT_DEATH(
      {
        job j;
        skua::runtime::injector<> in;
        in.push(j);
      },
      "an injector dies empty");
}

TEST(injector, every_item_comes_out_once_and_each_producers_in_order) {
  constexpr int producers = 3;
  constexpr int consumers = 3;
  constexpr int each = 20'000;
  skua::runtime::injector<> in;
  std::vector<std::vector<job>> jobs(producers, std::vector<job>(each));
  std::atomic<int> left{producers * each};
  std::atomic<int> out_of_order{0};
  {
    std::vector<std::jthread> threads;
    for (int p = 0; p < producers; ++p) {
      threads.emplace_back([&, p] {
        for (int i = 0; i < each; ++i) {
          auto& j = jobs[static_cast<std::size_t>(p)][static_cast<std::size_t>(i)];
          j.producer = p;
          j.number = i;
          in.push(j);
        }
      });
    }
    for (int c = 0; c < consumers; ++c) {
      threads.emplace_back([&] {
        skua::testing::patience until("every item comes out");
        std::array<int, producers> last;
        last.fill(-1);
        while (left.load(std::memory_order_relaxed) > 0) {
          auto* const j = static_cast<job*>(in.pop());
          if (j == nullptr) {
            if (!until.lasts()) return;
            std::this_thread::yield();
            continue;
          }
          ++j->taken;
          auto& previous = last[static_cast<std::size_t>(j->producer)];
          if (j->number <= previous) out_of_order.fetch_add(1, std::memory_order_relaxed);
          previous = j->number;
          left.fetch_sub(1, std::memory_order_relaxed);
        }
      });
    }
  }
  for (auto const& of_one : jobs) {
    for (auto const& j : of_one) ASSERT_EQ(j.taken, 1);
  }
  EXPECT_EQ(out_of_order.load(std::memory_order_relaxed), 0);
}
