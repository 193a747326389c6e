// SPDX-License-Identifier: MIT
// What a pool's counters say of forks, of wake-ups and of the bias that thieves take from lanes, while it runs.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <stdexcept>

#include "skua/parts/base/fence.hpp"
#include "skua/skua.hpp"
#include "tests/programs/wait_until.hpp"

namespace {

using skua::testing::wait_until;

std::uint64_t sum(skua::pool const& pool, std::uint64_t skua::worker_counters::* which) {
  std::uint64_t n = 0;
  for (auto const& c : pool.counters()) n += c.*which;
  return n;
}

/// Asks for attention in every lane of the pool: the next push checks whether to wake a worker.
void raise_an_alarm(auto& here) {
  try {
    here.scope([](auto&) { throw std::runtime_error("an alarm"); });
  } catch (std::runtime_error const&) {}
}

}  // namespace

TEST(counted, as_sent_are_wake_ups_that_woke_somebody) {
  skua::pool pool({.workers = 1});
  pool.run([](auto& here) {
    for (int i = 0; i < 10; ++i) {
      raise_an_alarm(here);
      here.join([](auto&) {}, [](auto&) {});
      here.join_each(std::array{1, 2, 3}, [](auto&, int) {});
      here.scope([](auto& s) { s.spawn([](auto&) {}); });
    }
  });
  EXPECT_EQ(sum(pool, &skua::worker_counters::wakeups_sent), 0U);
}

/// The next task is at hand, so that the worker reads no clock between the two.
TEST(counted, are_the_forks_of_a_task_when_the_next_one_begins) {
  skua::pool pool({.workers = 1});
  std::atomic<bool> may_go_on{false};
  std::uint64_t before = 0;
  std::uint64_t after = 0;
  pool.enqueue([&] { wait_until("all are enqueued", [&] { return may_go_on.load(); }); });
  pool.enqueue([&](auto& here) {
    before = pool.counters()[0].forks;
    for (int i = 0; i < 100; ++i) here.join([](auto&) {}, [](auto&) {});
  });
  pool.enqueue([&] { after = pool.counters()[0].forks; });
  pool.enqueue([] {});
  may_go_on = true;
  pool.drain();
  EXPECT_EQ(after - before, 100U);
}

TEST(counted, is_the_bias_that_a_thief_has_taken) {
  if (skua::runtime::fence_kind() != skua::runtime::fences::asymmetric) GTEST_SKIP() << "lanes have no bias here";
  skua::pool pool({.workers = 2, .policy = "random"});
  std::atomic<bool> is_stolen{false};
  pool.run([&](auto& here) {
    here.join([&](auto&) { wait_until("a thief comes", [&] { return is_stolen.load(); }); },
              [&](auto&) { is_stolen = true; });
  });
  EXPECT_GE(sum(pool, &skua::worker_counters::revocations), 1U);
}
