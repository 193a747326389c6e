// SPDX-License-Identifier: MIT
// Lanes of threads from outside: who gets which, and that tasks of threads that have ended are run.
#include "skua/machine/threads/pool/outside_lane.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include "skua/skua.hpp"

namespace {

using skua::runtime::block_pool, skua::runtime::outside_lane, skua::runtime::outside_lanes;

/// The lane of a new thread, which pushes an entry there.
outside_lane* used_by_a_thread(outside_lanes& lanes, int& entry) {
  outside_lane* mine = nullptr;
  std::thread([&] {
    mine = lanes.mine();
    EXPECT_EQ(lanes.mine(), mine) << "a thread keeps its lane";
    EXPECT_EQ(lanes.of_this_thread(), mine);
    if (mine->tasks.push(&entry, 1)) static_cast<void>(mine->tasks.poll());
  }).join();
  return mine;
}

}  // namespace

TEST(outside_lane, a_thread_that_ends_leaves_its_lane_and_its_tasks_to_the_next) {
  block_pool blocks;
  outside_lanes lanes(blocks);
  EXPECT_TRUE(lanes.look_empty());
  EXPECT_EQ(lanes.of_this_thread(), nullptr);
  int entries[20];
  std::set<outside_lane*> all;
  for (int& e : entries) all.insert(used_by_a_thread(lanes, e));
  EXPECT_EQ(all.size(), 1U);
  EXPECT_FALSE(lanes.look_empty());
  for (int const& e : entries) {
    skua::runtime::entry oldest;
    skua::runtime::revocation_count spent;
    EXPECT_EQ(lanes.take(oldest, spent), skua::runtime::outcome::got);
    EXPECT_EQ(oldest.task, &e);
  }
  EXPECT_TRUE(lanes.look_empty());
}

TEST(outside_lane, threads_at_once_have_lanes_of_their_own) {
  block_pool blocks;
  outside_lanes lanes(blocks);
  std::vector<outside_lane*> got(8);
  std::atomic<int> arrived{0};
  {
    std::vector<std::jthread> threads;
    for (outside_lane*& mine : got) {
      threads.emplace_back([&] {
        mine = lanes.mine();
        ++arrived;
        while (arrived.load() < 8) std::this_thread::yield();
      });
    }
  }
  EXPECT_EQ((std::set<outside_lane*>(got.begin(), got.end()).size()), 8U);
}

TEST(outside_lane, tasks_of_threads_that_have_ended_are_run) {
  skua::task_group group;
  std::atomic<int> ran{0};
  for (int t = 0; t < 30; ++t) {
    std::thread([&] {
      for (int i = 0; i < 10; ++i) group.run([&] { ++ran; });
    }).join();
  }
  EXPECT_EQ(group.wait(), skua::complete);
  EXPECT_EQ(ran.load(), 300);
}

TEST(outside_lane, tasks_run_although_nobody_waits) {
  std::atomic<int> ran{0};
  skua::task_group group;
  for (int i = 0; i < 100; ++i) group.run([&] { ++ran; });
  while (ran.load() < 100) std::this_thread::yield();
  EXPECT_EQ(group.wait(), skua::complete);
}
