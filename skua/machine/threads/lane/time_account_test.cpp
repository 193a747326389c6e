// SPDX-License-Identifier: MIT
// Every moment belongs to exactly one of work, scheduling and idling. The test turns the clock.
#include "skua/machine/threads/lane/time_account.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <numeric>
#include <thread>

#include "skua/machine/threads/face/pool.hpp"
#include "skua/parts/base/dice.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

using spent = time_account<>::spent;

std::uint64_t sum(spent const& s) { return std::accumulate(s.begin(), s.end(), std::uint64_t{0}); }

TEST(time_account, what_is_still_running_counts_up_to_now) {
  time_account<> book;
  book.open(100);
  EXPECT_EQ(book.at(107), (spent{0, 7, 0}));
  book.change_to(activity::working, 110);
  EXPECT_EQ(book.at(110), (spent{0, 10, 0}));
  EXPECT_EQ(book.at(150), (spent{40, 10, 0}));
  book.change_to(activity::idling, 200);
  EXPECT_EQ(book.at(1200), (spent{90, 10, 1000}));
}

TEST(time_account, a_vain_round_was_idle_and_the_search_goes_on) {
  time_account<> book;
  book.open(0);
  book.charge(activity::idling, 30);
  book.charge(activity::idling, 50);
  EXPECT_EQ(book.at(55), (spent{0, 5, 50}));
  book.change_to(activity::working, 60);
  EXPECT_EQ(book.at(61), (spent{1, 10, 50}));
}

TEST(time_account, one_entry_after_the_moment_asked_for_counts_for_nothing) {
  time_account<> book;
  book.open(0);
  book.change_to(activity::working, 10);
  book.change_to(activity::scheduling, 100);
  EXPECT_EQ(book.at(70), (spent{60, 10, 0}));
  book.charge(activity::idling, 120);
  EXPECT_EQ(book.at(105), (spent{90, 10, 5}));
}

TEST(time_account, the_sum_is_the_time_since_it_was_opened_whatever_was_entered) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    dice thrown(seed);
    time_account<> book;
    std::uint64_t const opened = thrown.below(1000);
    std::uint64_t now = opened;
    book.open(now);
    for (int entry = 0; entry < 200; ++entry) {
      now += thrown.below(20);
      auto const kind = static_cast<activity>(thrown.below(3));
      thrown.below(2) == 0 ? book.change_to(kind, now) : book.charge(kind, now);
      std::uint64_t const back = thrown.below(40);
      std::uint64_t const asked = back > now - opened ? opened : now - back;
      EXPECT_EQ(sum(book.at(asked)), asked - opened);
      EXPECT_EQ(sum(book.at(now + back)), now + back - opened);
    }
  }
}

TEST(time_account, a_reader_meanwhile_never_sees_half_an_entry) {
  time_account<> book;
  book.open(0);
  std::atomic<std::uint64_t> time{0};
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    for (std::uint64_t now = 1; !stop.load(std::memory_order_relaxed); ++now) {
      book.change_to(static_cast<activity>(now % 3), now * 1000);
      time.store(now, std::memory_order_relaxed);
    }
  });
  for (int look = 0; look < 20'000; ++look) {
    std::uint64_t const now = (time.load(std::memory_order_relaxed) + 1'000'000) * 1000;
    ASSERT_EQ(sum(book.at(now)), now);
  }
  stop.store(true, std::memory_order_relaxed);
  writer.join();
}

std::uint64_t sum(worker_counters const& c) { return c.work_ns + c.scheduling_ns + c.idle_ns; }

/// Tasks that are stolen, tasks that wait, and workers without any.
long fib(auto& here, int n) {
  if (n < 2) return n;
  auto [a, b] = here.join([n](auto& h) { return fib(h, n - 1); }, [n](auto& h) { return fib(h, n - 2); });
  return a + b;
}

TEST(pool_times, add_up_to_the_time_between_two_readings_for_every_worker_and_policy) {
  for (char const* policy : {"random", "adws", "numa-ws", "replay"}) {
    skua::pool pool({.workers = 3, .policy = policy});
    for (int round = 0; round < 20; ++round) {
      SCOPED_TRACE(policy);
      auto const begin = std::chrono::steady_clock::now();
      auto const before = pool.counters(begin);
      EXPECT_EQ(pool.run([](auto& h) { return fib(h, 18); }), 2584);
      auto const end = std::chrono::steady_clock::now();
      auto const after = pool.counters(end);
      auto const elapsed = static_cast<std::uint64_t>(std::chrono::nanoseconds(end - begin).count());
      std::uint64_t work = 0;
      for (std::size_t w = 0; w < after.size(); ++w) {
        EXPECT_EQ(sum(after[w]) - sum(before[w]), elapsed);
        work += after[w].work_ns - before[w].work_ns;
      }
      EXPECT_GT(work, 0U);
    }
  }
}

TEST(pool_times, of_calls_from_outside_count_as_work_once_somebody_reads_them) {
  skua::pool pool({.workers = 1});
  static_cast<void>(pool.counters());
  std::uint64_t last = 0;
  for (int round = 0; round < 20; ++round) {
    EXPECT_EQ(pool.run([](auto& h) { return fib(h, 15); }), 610);
    std::uint64_t const work = pool.counters()[0].work_ns;
    EXPECT_GT(work, last);
    last = work;
  }
}

TEST(pool_times, go_on_in_a_pool_that_does_nothing_and_none_of_it_is_work) {
  skua::pool idle({.workers = 2});
  auto const begin = std::chrono::steady_clock::now();
  auto const before = idle.counters(begin);
  skua::pool other({.workers = 1});
  EXPECT_EQ(other.run([](auto& h) { return fib(h, 15); }), 610);
  auto const after = idle.counters();
  for (std::size_t w = 0; w < after.size(); ++w) {
    EXPECT_EQ(after[w].work_ns, before[w].work_ns);
    EXPECT_GT(sum(after[w]), sum(before[w])) << "a running interval counts";
  }
}

}}}}  // namespace skua::v0::runtime
