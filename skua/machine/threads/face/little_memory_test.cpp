// SPDX-License-Identifier: MIT
// Each allocation of a call fails once: what the program asked for either is refused, or runs once. Of workers: what they cannot put
// into a lane runs at once.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

#include "skua/skua.hpp"
#include "tests/programs/listening_policy.hpp"
#include "tests/programs/this_thread.hpp"
#include "tests/programs/wait_until.hpp"

namespace {

using skua::testing::this_thread_number, skua::testing::wait_until;

/// The thread whose allocations are counted, 0: none; the number of the allocation that fails; the size from which on all of them fail.
std::atomic<long> of_thread{0};
std::atomic<int> until_refusal{0};
std::atomic<std::size_t> refused_bytes{~std::size_t{0}};

void* memory(std::size_t bytes, std::size_t alignment) {
  long const whose = of_thread.load();
  bool const counts = whose != 0 && this_thread_number() == whose;
  bool const is_refused = counts && (until_refusal.fetch_sub(1) == 0 || bytes >= refused_bytes.load());
  std::size_t const rounded = (bytes + alignment - 1) / alignment * alignment;
  if (void* const p = is_refused ? nullptr : std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded))
    return p;
  throw std::bad_alloc{};
}

}  // namespace

// Out of line: where the compiler inlines only one of the two, it calls them a mismatched pair.
[[gnu::noinline]] void* operator new(std::size_t bytes) { return memory(bytes, alignof(std::max_align_t)); }
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t a) {
  return memory(bytes, static_cast<std::size_t>(a));
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace {

/// Of this thread's next allocations number `nth` fails, counted from 0.
class one_refusal {
 public:
  explicit one_refusal(int nth) {
    until_refusal = nth;
    of_thread = this_thread_number();
  }
  ~one_refusal() { of_thread = 0; }
  one_refusal(one_refusal const&) = delete;
  one_refusal& operator=(one_refusal const&) = delete;
  [[nodiscard]] static bool has_come() { return until_refusal < 0; }
};

/// This thread gets no block of that size or more.
class small_blocks_only {
 public:
  explicit small_blocks_only(std::size_t bytes) {
    until_refusal = -1;
    refused_bytes = bytes;
    of_thread = this_thread_number();
  }
  ~small_blocks_only() {
    of_thread = 0;
    refused_bytes = ~std::size_t{0};
  }
  small_blocks_only(small_blocks_only const&) = delete;
  small_blocks_only& operator=(small_blocks_only const&) = delete;
};

}  // namespace

/// The only worker is kept, and the bound is reached, so that the call needs a place of its own.
TEST(little_memory, a_bounded_call_runs_once_or_is_refused) {
  bool was_refused = true;
  for (int nth = 0; was_refused; ++nth) {
    skua::pool pool({.workers = 1});
    std::atomic<bool> keeps{false};
    std::atomic<bool> may_end{false};
    pool.enqueue([&] {
      keeps = true;
      wait_until("the call has come back", [&] { return may_end.load(); });
    });
    wait_until("the worker is kept", [&] { return keeps.load(); });
    std::atomic<int> ran{0};
    bool is_begun = true;
    {
      one_refusal const once(nth);
      try {
        pool.enqueue(skua::at_most{0}, [&ran] { ++ran; });
      } catch (std::bad_alloc const&) {
        is_begun = false;
      }
      was_refused = one_refusal::has_come();
    }
    may_end = true;
    pool.drain();
    EXPECT_EQ(ran, is_begun ? 1 : 0) << "allocation " << nth;
    ASSERT_LT(nth, 10'000);
  }
}

/// A call from outside that finds no worker's place.
TEST(little_memory, a_call_from_outside_runs_once_or_is_refused) {
  bool was_refused = true;
  for (int nth = 0; was_refused; ++nth) {
    skua::pool pool({.workers = 1});
    std::atomic<bool> keeps{false};
    std::atomic<bool> may_end{false};
    pool.enqueue([&] {
      keeps = true;
      wait_until("the call has come back", [&] { return may_end.load(); });
    });
    wait_until("the worker is kept", [&] { return keeps.load(); });
    int ran = 0;
    bool has_returned = true;
    {
      one_refusal const once(nth);
      try {
        pool.run([&ran](auto&) { ++ran; });
      } catch (std::bad_alloc const&) {
        has_returned = false;
      }
      was_refused = one_refusal::has_come();
    }
    may_end = true;
    pool.drain();
    if (has_returned) {
      EXPECT_EQ(ran, 1) << "allocation " << nth;
    }
    EXPECT_LE(ran, 1) << "allocation " << nth;
    ASSERT_LT(nth, 10'000);
  }
}

/// More tasks than the lanes have room for: what finds no room runs at once.
TEST(little_memory, tasks_without_room_in_a_lane_run_at_once) {
  constexpr int many = 20'000;
  skua::pool pool({.workers = 1});
  int ran = 0;
  int ran_at_once = 0;
  pool.run([&](auto& h) {
    h.finish([&](auto& f) {
      small_blocks_only const limit(8192);
      for (int i = 0; i < many; ++i) f.spawn([&ran](auto&) { ++ran; });
      ran_at_once = ran;
    });
    EXPECT_EQ(ran, many);
    EXPECT_GT(ran_at_once, 0);
    ran = 0;
    h.scope([&](auto& s) {
      small_blocks_only const limit(8192);
      for (int i = 0; i < many; ++i) s.spawn([&ran](auto&) { ++ran; });
      ran_at_once = ran;
    });
    EXPECT_EQ(ran, many);
    EXPECT_GT(ran_at_once, 0);
    ran = 0;
    skua::task_group group;
    {
      small_blocks_only const limit(8192);
      for (int i = 0; i < many; ++i) group.run([&ran] { ++ran; });
      ran_at_once = ran;
    }
    group.wait();
    EXPECT_EQ(ran, many);
    EXPECT_GT(ran_at_once, 0);
  });
}

/// Groups in groups, whose rests fill the lane in which thieves would look for them: where one finds no room its owner calls all of it.
void count_leaves(auto& here, int depth, int& leaves) {
  here.join_each(std::array{0, 1}, [&](auto& h, int i) {
    if (i == 0 && depth > 0) return count_leaves(h, depth - 1, leaves);
    ++leaves;
  });
}

TEST(little_memory, exposed_groups_run_once_whichever_allocation_fails) {
  constexpr int depth = 300;
  skua::testing::ears all;
  all.needs = {.lanes = {skua::policies::lane::local}};
  all.sees_forks = true;
  bool was_refused = true;
  for (int nth = 0; was_refused; ++nth) {
    skua::pool pool({.workers = 1});
    auto const region = skua::testing::open_listening(pool, all);
    int leaves = 0;
    region.run([&](auto& h) {
      one_refusal const once(nth);
      count_leaves(h, depth, leaves);
      was_refused = one_refusal::has_come();
    });
    EXPECT_EQ(leaves, depth + 2) << "allocation " << nth;
    ASSERT_LT(nth, 1000);
  }
}
