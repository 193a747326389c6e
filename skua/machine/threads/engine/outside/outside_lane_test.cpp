// SPDX-License-Identifier: MIT
// Lanes of threads from outside: who gets which, and that tasks of threads that have ended are run.
#include "skua/machine/threads/engine/outside/outside_lane.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include "skua/skua.hpp"

namespace {

using skua::runtime::block_pool, skua::runtime::outcome, skua::runtime::outside_batch, skua::runtime::outside_lane;
using skua::runtime::outside_lanes, skua::runtime::revocation_count;

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
    outside_batch taken;
    revocation_count spent;
    EXPECT_EQ(lanes.take(taken, 0, spent), outcome::got);
    ASSERT_EQ(taken.size, 1U);
    EXPECT_EQ(taken.tasks[0].task, &e);
  }
  EXPECT_TRUE(lanes.look_empty());
}

TEST(outside_lane, a_thread_that_comes_back_to_a_region_has_its_lane_there) {
  block_pool blocks;
  outside_lanes lanes(blocks);
  outside_lanes there(blocks);
  std::thread([&] {
    outside_lane* const first = lanes.mine();
    outside_lane* const other = there.mine();
    EXPECT_NE(first, other);
    EXPECT_EQ(lanes.of_this_thread(), nullptr);
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(lanes.mine(), first);
      EXPECT_EQ(there.mine(), other);
    }
  }).join();
}

TEST(outside_lane, a_share_of_a_lane_is_taken_at_once_oldest_first) {
  block_pool blocks;
  outside_lanes lanes(blocks);
  int entries[100];
  for (int& e : entries) used_by_a_thread(lanes, e);
  revocation_count spent;
  outside_batch taken;
  std::size_t next = 0;
  for (std::size_t const expected : {32U, 22U, 15U, 10U, 7U, 4U, 3U, 2U, 1U, 1U, 1U, 1U, 1U}) {
    ASSERT_EQ(lanes.take(taken, 3, spent), outcome::got);
    EXPECT_EQ(taken.size, expected) << "a third, 32 at most, one at least";
    for (std::size_t i = 0; i < taken.size; ++i) EXPECT_EQ(taken.tasks[i].task, &entries[next++]);
  }
  EXPECT_EQ(next, 100U);
  EXPECT_EQ(lanes.take(taken, 3, spent), outcome::empty);
  EXPECT_EQ(taken.size, 0U);
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

// A worker that has taken several tasks at once must not keep the others from the rest of the pool.
TEST(outside_lane, tasks_that_wait_for_each_other_meet) {
  unsigned const workers = skua::default_pool().num_workers();
  for (int round = 0; round < 50; ++round) {
    std::atomic<unsigned> arrived{0};
    std::atomic<int> ran{0};
    skua::task_group group;
    for (unsigned i = 0; i < workers; ++i) {
      for (int k = 0; k < 40; ++k) group.run([&] { ++ran; });
      group.run([&] {
        ++arrived;
        while (arrived.load() < workers) std::this_thread::yield();
      });
    }
    group.wait();
    EXPECT_EQ(ran.load(), static_cast<int>(40 * workers));
  }
}

TEST(outside_lane, tasks_run_although_nobody_waits) {
  std::atomic<int> ran{0};
  skua::task_group group;
  for (int i = 0; i < 100; ++i) group.run([&] { ++ran; });
  while (ran.load() < 100) std::this_thread::yield();
  EXPECT_EQ(group.wait(), skua::complete);
}
