// SPDX-License-Identifier: MIT
#include "skua/parts/queue/deque.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory_resource>
#include <new>
#include <numeric>
#include <thread>
#include <vector>

#include "skua/parts/base/dice.hpp"
#include "skua/parts/queue/numbered_tasks_for_test.hpp"

namespace {

using skua::runtime::attention, skua::runtime::deque, skua::runtime::entry, skua::runtime::outcome;
using skua::testing::as_task, skua::testing::extra_of, skua::testing::id_of;

/// Allocates until told to refuse; counts the blocks that are out.
class moody_memory final : public std::pmr::memory_resource {
 public:
  bool refuses = false;
  std::size_t blocks_out = 0;

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (refuses) throw std::bad_alloc();
    ++blocks_out;
    return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  }
  void do_deallocate(void* block, std::size_t bytes, std::size_t alignment) override {
    --blocks_out;
    std::pmr::new_delete_resource()->deallocate(block, bytes, alignment);
  }
  bool do_is_equal(std::pmr::memory_resource const& other) const noexcept override { return this == &other; }
};

class deque_with : public ::testing::TestWithParam<skua::runtime::fences> {
 protected:
  moody_memory memory_;
  skua::runtime::deque_options options(std::size_t capacity) {
    return {.capacity = capacity, .kind = GetParam(), .memory = &memory_};
  }
};

attention push(deque<>& d, std::uint64_t id) { return d.push(as_task(id), extra_of(id)) ? d.poll() : attention::calm; }

std::vector<std::uint64_t> range(std::uint64_t from, std::uint64_t to) {
  std::vector<std::uint64_t> ids(to - from);
  std::iota(ids.begin(), ids.end(), from);
  return ids;
}

}  // namespace

TEST_P(deque_with, after_reserve_one_more_push_needs_no_memory) {
  for (std::uint64_t entries = 0; entries < 20; ++entries) {
    SCOPED_TRACE(entries);
    memory_.refuses = false;
    deque<> d(options(4));
    for (auto id : range(1, entries + 1)) EXPECT_EQ(push(d, id), attention::calm);
    memory_.refuses = true;
    if (!d.reserve()) {
      memory_.refuses = false;
      EXPECT_TRUE(d.reserve());
      memory_.refuses = true;
    }
    EXPECT_EQ(push(d, entries + 1), attention::calm);
  }
}

TEST_P(deque_with, owner_takes_newest_first_thief_oldest_first) {
  deque<> d(options(4));
  auto const victim = d.outside();
  for (auto id : range(1, 6)) EXPECT_EQ(push(d, id), attention::calm);
  entry e;
  EXPECT_TRUE(d.peek(e));
  EXPECT_EQ(id_of(e), 5U);
  EXPECT_TRUE(d.pop(e));
  EXPECT_EQ(id_of(e), 5U);
  EXPECT_EQ(victim.steal(e), outcome::got);
  EXPECT_EQ(e, (entry{as_task(1), extra_of(1)}));
  EXPECT_TRUE(d.pop());
  EXPECT_EQ(victim.steal(e), outcome::got);
  EXPECT_EQ(id_of(e), 2U);
  EXPECT_FALSE(victim.looks_empty());
  EXPECT_TRUE(d.pop(e));
  EXPECT_EQ(e, (entry{as_task(3), extra_of(3)}));
  EXPECT_TRUE(victim.looks_empty());
}

TEST_P(deque_with, the_owner_takes_the_newest_entry_only_if_it_is_the_wanted_one) {
  deque<> d(options(4));
  EXPECT_EQ(d.pop_if(0), nullptr) << "empty, with the word that new slots have";
  for (auto id : range(1, 4)) EXPECT_EQ(push(d, id), attention::calm);
  EXPECT_EQ(d.pop_if(extra_of(2)), nullptr);
  EXPECT_EQ(d.pop_if(extra_of(3)), as_task(3));
  EXPECT_EQ(d.pop_if(extra_of(3)), nullptr) << "it is taken once";
  entry e;
  EXPECT_EQ(d.outside().steal(e), outcome::got);
  EXPECT_EQ(d.outside().steal(e), outcome::got);
  EXPECT_EQ(d.pop_if(extra_of(2)), nullptr) << "a thief has it";
  EXPECT_EQ(push(d, 4), attention::calm);
  EXPECT_EQ(d.pop_if(extra_of(4)), as_task(4));
  EXPECT_TRUE(d.outside().looks_empty());
}

TEST_P(deque_with, empty_stays_empty_however_often_it_is_asked) {
  deque<> d(options(2));
  entry e{as_task(9), 9};
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(d.pop());
    EXPECT_FALSE(d.pop(e));
    EXPECT_FALSE(d.peek(e));
    EXPECT_EQ(d.outside().steal(e), outcome::empty);
  }
  EXPECT_EQ(id_of(e), 9U) << "a failed attempt leaves its argument alone";
  EXPECT_EQ(push(d, 1), attention::calm);
  EXPECT_TRUE(d.pop());
  EXPECT_FALSE(d.pop());
}

TEST_P(deque_with, growth_keeps_order_and_content_and_gives_memory_back) {
  {
    deque<> d(options(2));
    entry e;
    for (auto id : range(1, 4)) EXPECT_EQ(push(d, id), attention::calm);
    EXPECT_EQ(d.outside().steal(e), outcome::got);  // so that the ring is not aligned with its content
    for (auto id : range(4, 2000)) EXPECT_EQ(push(d, id), attention::calm);
    for (auto id : range(2, 1000)) {
      ASSERT_EQ(d.outside().steal(e), outcome::got);
      EXPECT_EQ(e, (entry{as_task(id), extra_of(id)}));
    }
    for (std::uint64_t id = 1999; id >= 1000; --id) {
      ASSERT_TRUE(d.pop(e));
      EXPECT_EQ(e, (entry{as_task(id), extra_of(id)}));
    }
    EXPECT_FALSE(d.pop());
    EXPECT_GT(memory_.blocks_out, 1U);
  }
  EXPECT_EQ(memory_.blocks_out, 0U);
}

TEST_P(deque_with, a_ring_that_thieves_empty_is_used_again_and_does_not_grow) {
  deque<> d(options(4));
  entry e;
  for (auto id : range(1, 1000)) {
    EXPECT_EQ(push(d, id), attention::calm);
    ASSERT_EQ(d.outside().steal(e), outcome::got);
    EXPECT_EQ(id_of(e), id);
  }
  EXPECT_EQ(memory_.blocks_out, 1U);
}

TEST_P(deque_with, a_push_without_extra_carries_its_task) {
  deque<> d(options(2));
  entry e;
  EXPECT_EQ(d.push(as_task(5)) ? d.poll() : attention::calm, attention::calm);
  EXPECT_EQ(d.outside().steal(e), outcome::got);
  EXPECT_EQ(id_of(e), 5U);
}

TEST_P(deque_with, without_memory_it_is_full_and_goes_on_once_there_is_room) {
  deque<> d(options(2));
  memory_.refuses = true;
  entry e;
  EXPECT_EQ(push(d, 1), attention::calm);
  for (int i = 0; i < 3; ++i) {  // the caller runs the task itself and tries again
    EXPECT_EQ(push(d, 2), attention::full);
    EXPECT_TRUE(d.pop(e));
    EXPECT_EQ(id_of(e), 2U);
  }
  EXPECT_EQ(push(d, 3), attention::full);
  EXPECT_EQ(d.outside().steal(e), outcome::got);
  EXPECT_EQ(id_of(e), 1U);
  EXPECT_TRUE(d.pop(e));
  EXPECT_EQ(id_of(e), 3U);
  EXPECT_EQ(push(d, 4), attention::calm) << "a thief has made room";
  memory_.refuses = false;
  for (auto id : range(5, 50)) EXPECT_EQ(push(d, id), attention::calm);
  for (auto id : range(4, 50)) {
    ASSERT_EQ(d.outside().steal(e), outcome::got);
    EXPECT_EQ(id_of(e), id);
  }
}

TEST_P(deque_with, without_memory_at_birth_it_throws) {
  memory_.refuses = true;
  EXPECT_THROW(deque<>(options(2)), std::bad_alloc);
}

TEST_P(deque_with, a_request_is_reported_once_at_the_next_push) {
  deque<> d(options(64));
  EXPECT_EQ(push(d, 1), attention::calm);
  d.outside().request_attention();
  d.outside().request_attention();
  EXPECT_TRUE(d.pop());
  EXPECT_TRUE(d.push(as_task(2)));
  EXPECT_EQ(d.poll(), attention::requested);
  EXPECT_EQ(push(d, 3), attention::calm);
}

TEST_P(deque_with, a_request_outlives_a_push_that_found_the_ring_full) {
  deque<> d(options(2));
  EXPECT_EQ(push(d, 1), attention::calm);
  d.outside().request_attention();
  memory_.refuses = true;
  EXPECT_EQ(push(d, 2), attention::full);
  EXPECT_TRUE(d.pop());
  memory_.refuses = false;
  EXPECT_EQ(push(d, 2), attention::requested);
}

TEST(deque, asymmetric_pushes_ask_for_attention_only_when_there_is_a_reason) {
  if (skua::runtime::fence_kind() == skua::runtime::fences::full) GTEST_SKIP() << skua::runtime::fence_reason();
  deque<> d({.capacity = 4, .kind = skua::runtime::fences::asymmetric});
  for (auto id : range(1, 4)) EXPECT_FALSE(d.push(as_task(id)));
  EXPECT_TRUE(d.push(as_task(4)));
  EXPECT_EQ(d.poll(), attention::calm);
  for (auto id : range(5, 8)) EXPECT_FALSE(d.push(as_task(id)));
  EXPECT_TRUE(d.push(as_task(8)));
}

namespace {

/// An owner that keeps pushing and popping above `below` entries until told to stop.
class busy_owner {
 public:
  explicit busy_owner(deque<>& d, std::uint64_t below)
      : thread_([&d, below, this] {
          for (std::uint64_t id = 1; id <= below; ++id) static_cast<void>(push(d, id));
          is_ready_.store(true, std::memory_order_release);  // pairs with await
          entry e;
          while (!done_.load(std::memory_order_relaxed)) {
            static_cast<void>(push(d, below + 1));
            static_cast<void>(d.pop(e));
          }
        }) {}
  ~busy_owner() { done_.store(true, std::memory_order_relaxed); }
  void await() const {
    while (!is_ready_.load(std::memory_order_acquire)) std::this_thread::yield();  // pairs with the thread's store
  }

 private:
  std::atomic<bool> is_ready_{false};
  std::atomic<bool> done_{false};
  std::jthread thread_;
};

}  // namespace

TEST(deque, a_steal_costs_at_most_one_heavy_fence_and_only_when_it_revokes) {
  if (skua::runtime::fence_kind() == skua::runtime::fences::full) GTEST_SKIP() << skua::runtime::fence_reason();
  deque<> d({.capacity = 64, .kind = skua::runtime::fences::asymmetric});
  for (auto id : range(1, 51)) EXPECT_EQ(push(d, id), attention::calm);
  skua::runtime::revocation_count spent;
  entry e;
  for (auto id : range(1, 51)) {
    ASSERT_EQ(d.outside().steal(e, spent), outcome::got);
    EXPECT_EQ(id_of(e), id);
  }
  EXPECT_EQ(spent.revocations, 1U) << "the owner was not there to take the bias back";
  EXPECT_EQ(spent.heavy_fences, 1U) << "nor to answer";
}

TEST(deque, the_owner_takes_the_bias_back_and_loses_it_again) {
  if (skua::runtime::fence_kind() == skua::runtime::fences::full) GTEST_SKIP() << skua::runtime::fence_reason();
  deque<> d({.capacity = 64, .kind = skua::runtime::fences::asymmetric, .bias_after = {3, 3}});
  skua::runtime::revocation_count spent;
  entry e;
  for (std::uint64_t round = 1; round <= 10; ++round) {
    for (auto id : range(1, 6)) EXPECT_EQ(push(d, id), attention::calm);
    ASSERT_EQ(d.outside().steal(e, spent), outcome::got);
    EXPECT_EQ(id_of(e), 1U);
    EXPECT_EQ(spent.revocations, round);
    for (std::uint64_t id = 5; id >= 2; --id) {
      ASSERT_TRUE(d.pop(e));
      EXPECT_EQ(id_of(e), id);
    }
    EXPECT_FALSE(d.pop(e));
  }
}

TEST(deque, an_owner_that_pops_answers) {
  if (skua::runtime::fence_kind() == skua::runtime::fences::full) GTEST_SKIP() << skua::runtime::fence_reason();
  // The owner may lose its processor at any moment, so no single revocation need be answered, but one of many is.
  skua::runtime::revocation_count spent;
  for (int round = 0; round < 1000 && spent.heavy_fences == spent.revocations; ++round) {
    deque<> d({.capacity = 64, .kind = skua::runtime::fences::asymmetric});
    busy_owner const owner(d, 8);
    owner.await();
    entry e;
    static_cast<void>(d.outside().steal(e, spent));
  }
  EXPECT_GT(spent.revocations, spent.heavy_fences);
}

TEST_P(deque_with, the_owner_pops_its_oldest_entries_with_and_without_bias) {
  deque<> d(options(4));
  entry e;
  EXPECT_FALSE(d.pop_oldest(e));
  for (std::uint64_t round = 0; round < 3; ++round) {
    for (auto id : range(1, 7)) EXPECT_EQ(push(d, id), attention::calm);
    ASSERT_TRUE(d.pop_oldest(e));
    EXPECT_EQ(e, (entry{as_task(1), extra_of(1)}));
    ASSERT_TRUE(d.pop(e));
    EXPECT_EQ(id_of(e), 6U);
    if (round > 0) {
      ASSERT_EQ(d.outside().steal(e), outcome::got);
    } else {
      ASSERT_TRUE(d.pop_oldest(e));
    }
    EXPECT_EQ(id_of(e), 2U);
    for (auto id : range(3, 6)) {
      ASSERT_TRUE(d.pop_oldest(e));
      EXPECT_EQ(id_of(e), id);
    }
    EXPECT_FALSE(d.pop_oldest(e));
    EXPECT_FALSE(d.pop());
  }
}

TEST(deque, asymmetric_is_only_a_wish) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        skua::runtime::force_full_fences();
        deque<> d({.capacity = 4, .kind = skua::runtime::fences::asymmetric});
        std::_Exit(d.kind() == skua::runtime::fences::full && !d.push(as_task(1)) ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST(deque, wrong_capacities_are_refused) {
  if constexpr (!skua::runtime::checked) GTEST_SKIP() << "this build checks no invariants (SKUA_CHECKED=OFF)";
  for (std::size_t const capacity : {0U, 1U, 3U, 100U}) {
    EXPECT_DEATH(deque<>({.capacity = capacity, .kind = skua::runtime::fences::full}), "power of two");
  }
}

namespace {

/// A random owner against thieves and a thread that requests attention. Every entry must be
/// taken once, every request reported once.
class storm {
 public:
  storm(std::uint64_t seed, skua::runtime::fences kind, std::uint16_t bias_after, std::uint64_t pushes)
      : seed_(seed), pushes_(pushes), queue_({.capacity = 2, .kind = kind, .bias_after = {.least = bias_after}}) {}

  void run(int thieves) {
    taken_.resize(static_cast<std::size_t>(thieves) + 1);
    {
      std::vector<std::jthread> others;
      for (int i = 1; i <= thieves; ++i)
        others.emplace_back([this, i] { steal_all(taken_[static_cast<std::size_t>(i)]); });
      others.emplace_back([this] { request_again_and_again(); });
      own(taken_[0]);
      done_.store(true, std::memory_order_release);  // pairs with the loops below: the last request may be counted
    }
    entry e;
    while (queue_.pop(e)) take(e, taken_[0]);
    if (queue_.push(as_task(pushes_ + 1), extra_of(pushes_ + 1))) poll();
    EXPECT_TRUE(queue_.pop());
  }

  void check() const {
    std::vector<std::uint64_t> all;
    for (auto const& ids : taken_) all.insert(all.end(), ids.begin(), ids.end());
    std::ranges::sort(all);
    EXPECT_EQ(all, range(1, pushes_ + 1));
    EXPECT_EQ(torn_.load(std::memory_order_relaxed), 0);
    EXPECT_EQ(answered_.load(std::memory_order_relaxed), requested_.load(std::memory_order_relaxed));
  }

 private:
  // Bursts of pushes and pops of random length, so that the deque grows, runs empty, and is often nearly empty.
  void own(std::vector<std::uint64_t>& taken) {
    skua::runtime::dice dice(seed_);
    entry e;
    for (std::uint64_t next = 1; next <= pushes_;) {
      auto const most = dice.below(50) == 0 ? 2000U : 4U;
      for (auto burst = dice.below(most) + 1; burst > 0 && next <= pushes_; --burst, ++next) {
        if (queue_.push(as_task(next), extra_of(next))) poll();
      }
      for (auto burst = dice.below(most); burst > 0; --burst) {
        if (dice.below(8) == 0 ? queue_.pop_oldest(e) : queue_.pop(e)) take(e, taken);
      }
    }
  }
  void poll() {
    auto const why = queue_.poll();
    EXPECT_NE(why, attention::full);
    // Relaxed: a request shows what was announced before it, which is what this checks.
    if (why == attention::requested)
      answered_.store(requested_.load(std::memory_order_relaxed), std::memory_order_relaxed);
  }
  void steal_all(std::vector<std::uint64_t>& taken) {
    auto const victim = queue_.outside();
    entry e;
    while (!done_.load(std::memory_order_acquire)) {  // pairs with run
      if (victim.steal(e) == outcome::got) {
        take(e, taken);
      } else {
        std::this_thread::yield();
      }
    }
  }
  void request_again_and_again() {
    auto const victim = queue_.outside();
    while (!done_.load(std::memory_order_acquire)) {  // pairs with run
      auto const mine = requested_.fetch_add(1, std::memory_order_relaxed) + 1;
      victim.request_attention();
      while (answered_.load(std::memory_order_relaxed) != mine && !done_.load(std::memory_order_acquire)) {
        std::this_thread::yield();
      }
    }
  }
  void take(entry e, std::vector<std::uint64_t>& taken) {
    if (e.extra != extra_of(id_of(e))) torn_.fetch_add(1, std::memory_order_relaxed);
    taken.push_back(id_of(e));
  }

  std::uint64_t seed_;
  std::uint64_t pushes_;
  deque<> queue_;
  std::vector<std::vector<std::uint64_t>> taken_;
  std::atomic<bool> done_{false};
  std::atomic<int> torn_{0};
  std::atomic<std::uint64_t> requested_{0};
  std::atomic<std::uint64_t> answered_{0};
};

}  // namespace

TEST_P(deque_with, storm_every_entry_is_taken_once_and_every_request_is_answered) {
  for (std::uint64_t const seed : {1U, 2U, 3U, 4U, 5U, 6U}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    storm s(seed, GetParam(), seed % 2 == 0 ? 64 : 1, 60'000);
    s.run(3);
    s.check();
  }
}

INSTANTIATE_TEST_SUITE_P(fences, deque_with, ::testing::ValuesIn(skua::testing::fence_kinds()),
                         skua::testing::name_of_fences);
