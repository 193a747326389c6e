// SPDX-License-Identifier: MIT
#include "skua/parts/queue/fork_deque.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <new>
#include <thread>
#include <vector>

#include "skua/parts/base/dice.hpp"
#include "skua/parts/queue/numbered_tasks_for_test.hpp"

namespace {

using skua::runtime::attention, skua::runtime::entry, skua::runtime::fork_deque, skua::runtime::fork_slot,
    skua::runtime::outcome;
using skua::testing::as_task, skua::testing::extra_of, skua::testing::id_of;

class fork_deque_with : public ::testing::TestWithParam<skua::runtime::fences> {
 protected:
  static skua::runtime::deque_options options(std::size_t capacity) {
    return {.capacity = capacity, .kind = GetParam()};
  }
};

attention open(fork_deque<>& d, std::uint64_t id) {
  return d.push(d.first_free(), as_task(id), extra_of(id)) ? d.poll() : attention::calm;
}
bool close(fork_deque<>& d) { return d.pop(*(&d.first_free() - 1)); }

std::vector<std::int64_t> stolen_places(fork_deque<>& d) {
  std::vector<std::int64_t> places;
  d.each_stolen([&](void*, std::int64_t place) { places.push_back(place); });
  return places;
}

}  // namespace

TEST_P(fork_deque_with, owner_takes_newest_first_thief_oldest_first) {
  fork_deque<> d(options(16));
  auto const victim = d.outside();
  entry e;
  EXPECT_EQ(victim.steal(e), outcome::empty);
  for (std::uint64_t id = 1; id <= 4; ++id) open(d, id);
  EXPECT_EQ(victim.size_hint(), 4U);
  EXPECT_EQ(victim.steal(e), outcome::got);
  EXPECT_EQ(e, (entry{as_task(1), extra_of(1)}));
  EXPECT_TRUE(close(d));
  EXPECT_EQ(victim.steal(e), outcome::got);
  EXPECT_EQ(id_of(e), 2U);
  EXPECT_TRUE(close(d));
  EXPECT_TRUE(victim.looks_empty());
  EXPECT_FALSE(close(d)) << "2 was stolen";
  EXPECT_FALSE(close(d)) << "and so was 1";
}

TEST_P(fork_deque_with, after_stolen_joins_the_same_slots_are_used_again) {
  fork_deque<> d(options(16));
  entry e;
  for (std::uint64_t round = 0; round < 1000; ++round) {
    std::uint64_t const id = 2 * round + 1;
    open(d, id);
    open(d, id + 1);
    ASSERT_EQ(d.outside().steal(e), outcome::got);
    ASSERT_EQ(id_of(e), id);
    if (round % 2 == 0) {
      ASSERT_EQ(d.outside().steal(e), outcome::got);
      ASSERT_EQ(id_of(e), id + 1);
    }
    ASSERT_EQ(close(d), round % 2 != 0);
    ASSERT_FALSE(close(d));
    ASSERT_EQ(d.index_of(d.first_free()), 0);
  }
}

TEST_P(fork_deque_with, the_first_free_slot_is_behind_the_open_joins_at_every_depth) {
  constexpr std::size_t most = 3000;
  fork_deque<> d(options(most + 2));
  std::uint64_t const seed = 7;
  skua::runtime::dice dice(seed);
  std::int64_t depth = 0;
  for (int i = 0; i < 2000; ++i) {
    auto const target = static_cast<std::int64_t>(dice.below(i % 3 == 0 ? 10 : most));
    auto* at = &d.first_free();
    for (; depth < target; ++depth, ++at) {
      if (d.push(*at, as_task(1))) {
        ASSERT_NE(d.poll(), attention::full);
      }
    }
    for (; depth > target; --depth) ASSERT_TRUE(d.pop(*--at));
    ASSERT_EQ(d.index_of(d.first_free()), depth) << "seed " << seed << ", round " << i;
  }
}

TEST_P(fork_deque_with, a_full_array_refuses_one_join_and_goes_on) {
  fork_deque<> d(options(8));
  std::uint64_t opened = 0;
  while (open(d, opened + 1) != attention::full) ++opened;
  EXPECT_EQ(opened, 6U) << "two slots stay behind the last join";
  EXPECT_TRUE(close(d)) << "the refused one is taken back";
  for (; opened > 0; --opened) EXPECT_TRUE(close(d));
  EXPECT_NE(open(d, 1), attention::full);
}

TEST_P(fork_deque_with, tells_once_which_open_joins_were_taken) {
  fork_deque<> d(options(16));
  entry e;
  for (std::uint64_t id = 1; id <= 3; ++id) open(d, id);
  EXPECT_FALSE(d.may_have_stolen());
  ASSERT_EQ(d.outside().steal(e), outcome::got);
  ASSERT_EQ(d.outside().steal(e), outcome::got);
  EXPECT_TRUE(d.may_have_stolen());
  EXPECT_EQ(stolen_places(d), (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(stolen_places(d), (std::vector<std::int64_t>{}));
  EXPECT_TRUE(close(d));
  EXPECT_FALSE(close(d));
  open(d, 4);
  ASSERT_EQ(d.outside().steal(e), outcome::got);
  EXPECT_EQ(stolen_places(d), (std::vector<std::int64_t>{1})) << "the same place, another join";
  EXPECT_FALSE(close(d));
  open(d, 5);
  EXPECT_EQ(stolen_places(d), (std::vector<std::int64_t>{})) << "the join that was taken there has ended";
}

TEST_P(fork_deque_with, a_join_that_was_taken_is_not_taken_back_and_stays_open) {
  fork_deque<> d(options(16));
  entry e;
  auto& at = d.first_free();
  open(d, 1);
  EXPECT_TRUE(d.take_back(at));
  EXPECT_EQ(&d.first_free(), &at);
  open(d, 2);
  ASSERT_EQ(d.outside().steal(e), outcome::got);
  EXPECT_FALSE(d.take_back(at));
  EXPECT_EQ(&d.first_free(), &at + 1) << "the join is still open";
  EXPECT_EQ(stolen_places(d), (std::vector<std::int64_t>{0})) << "and was stolen";
  EXPECT_FALSE(d.take_back(at));
  EXPECT_EQ(stolen_places(d), (std::vector<std::int64_t>{})) << "which is told once";
  EXPECT_EQ(d.outside().steal(e), outcome::empty);
  open(d, 3);
  ASSERT_EQ(d.outside().steal(e), outcome::got);
  EXPECT_EQ(id_of(e), 3U);
  EXPECT_FALSE(close(d));
  EXPECT_FALSE(d.pop(at));
}

TEST_P(fork_deque_with, a_request_is_reported_once) {
  fork_deque<> d(options(64));
  open(d, 1);
  d.outside().request_attention();
  d.outside().request_attention();
  EXPECT_EQ(open(d, 2), attention::requested);
  EXPECT_EQ(open(d, 3), attention::calm);
  d.request_attention();
  auto& at = d.first_free();
  EXPECT_TRUE(d.push(at, as_task(4)));
  EXPECT_TRUE(d.make_room_and_keep_request());
  EXPECT_EQ(d.poll(), attention::requested) << "it was kept";
}

TEST_P(fork_deque_with, every_push_is_heard_of_where_the_owner_wants_it) {
  skua::runtime::deque_options how = options(300);
  how.polls_always = true;
  fork_deque<> d(how);
  std::vector<fork_deque<>::slot_type*> open;
  for (std::uint64_t i = 1; i < 299; ++i) {
    open.push_back(&d.first_free());
    ASSERT_TRUE(d.push(*open.back(), as_task(i)));
    if (i == 7) d.outside().request_attention();
    ASSERT_EQ(d.is_calm(*open.back()), i != 7);
    if (i == 7) {
      EXPECT_EQ(d.poll(), attention::requested);
    }
  }
  auto& last = d.first_free();
  EXPECT_TRUE(d.push(last, as_task(299)));
  EXPECT_FALSE(d.is_calm(last)) << "there is no room for another one";
  EXPECT_EQ(d.poll(), attention::full);
  EXPECT_TRUE(d.pop(last));
  for (; !open.empty(); open.pop_back()) EXPECT_TRUE(d.pop(*open.back()));
}

/// An owner that opens and closes joins as a random tree does, and thieves: each entry is taken once.
TEST_P(fork_deque_with, a_storm_takes_every_entry_once) {
  constexpr std::uint64_t entries = 100'000;
  constexpr int thieves = 3;
  std::uint64_t const seed = 11;
  fork_deque<> d(options(256));
  std::vector<std::atomic<int>> taken(entries + 1);
  std::atomic<bool> over{false};
  auto const take = [&](entry e) {
    if (e.extra != extra_of(id_of(e))) ADD_FAILURE() << "both words belong together";
    taken.at(id_of(e)).fetch_add(1, std::memory_order_relaxed);
  };
  std::vector<std::thread> all;
  for (int i = 0; i < thieves; ++i) {
    all.emplace_back([&, i] {
      skua::runtime::dice dice(seed + static_cast<std::uint64_t>(i));
      while (!over.load(std::memory_order_acquire)) {
        entry e;
        if (d.outside().steal(e) == outcome::got) take(e);
        if (dice.below(4) == 0) d.outside().request_attention();
        if (dice.below(64) == 0) std::this_thread::yield();
      }
    });
  }
  skua::runtime::dice dice(seed);
  struct open_join {
    std::uint64_t id;
    fork_slot<>* at;
  };
  std::vector<open_join> open_ones;
  for (std::uint64_t id = 1; id <= entries || !open_ones.empty();) {
    if (id <= entries && open_ones.size() < 200 && (open_ones.empty() || dice.below(100) < 52)) {
      fork_slot<>& at = d.first_free();
      open_ones.push_back({id, &at});
      if (d.push(at, as_task(id), extra_of(id))) {
        ASSERT_NE(d.poll(), attention::full);
      }
      ++id;
    } else {
      auto const [newest, at] = open_ones.back();
      if (dice.below(50) == 0 && !d.take_back(*at)) continue;
      bool const was_taken_back = at->task.load(std::memory_order_relaxed) == nullptr;
      open_ones.pop_back();
      if (was_taken_back || d.pop(*at)) take({as_task(newest), extra_of(newest)});
    }
    if (dice.below(2000) == 0) {
      entry e;
      while (!d.is_empty()) {
        if (d.pop_oldest(e)) take(e);
      }
    }
  }
  over.store(true, std::memory_order_release);
  for (auto& t : all) t.join();
  for (std::uint64_t id = 1; id <= entries; ++id) {
    ASSERT_EQ(taken[id].load(std::memory_order_relaxed), 1) << "entry " << id << ", seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(kinds, fork_deque_with, ::testing::ValuesIn(skua::testing::fence_kinds()),
                         skua::testing::name_of_fences);
