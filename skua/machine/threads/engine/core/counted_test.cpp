// SPDX-License-Identifier: MIT
// What a pool's counters say of forks, of wake-ups and of the bias that thieves take from lanes, while it runs.
#include <gtest/gtest.h>

#include <stdlib.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include "skua/machine/threads/engine/core/pool_core.hpp"
#include "skua/machine/threads/engine/core/worker.hpp"
#include "skua/parts/base/dice.hpp"
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

std::uint64_t forks_of(skua::pool const& pool) {
  std::uint64_t n = 0;
  for (auto const& c : pool.counters()) n += c.forks.value();
  return n;
}

/// The same for each seed: joins and numbered groups within each other, calls of the pool's other region and waits, in which other tasks
/// run on top of this one. Returns how many forks that takes.
std::uint64_t forks_at_random(auto& here, skua::region const& other, std::uint64_t seed, int depth) {
  skua::runtime::dice roll(seed);
  if (depth == 0) return 0;
  std::uint64_t const left = roll.next();
  std::uint64_t const right = roll.next();
  switch (roll.below(5)) {
    case 0: return other.run([&](auto& h) { return forks_at_random(h, other, left, depth - 1); });
    case 1: {
      std::array<std::uint64_t, 3> forks{};
      here.join_each(std::array<std::size_t, 3>{0, 1, 2},
                     [&](auto& h, std::size_t i) { forks[i] = forks_at_random(h, other, left + i, depth - 1); });
      return 2 + forks[0] + forks[1] + forks[2];
    }
    case 2: {
      std::uint64_t forks = 0;
      here.scope([&](auto& s) { s.spawn([&](auto& h) { forks = forks_at_random(h, other, left, depth - 1); }); });
      return forks;
    }
    default: {
      auto const [a, b] = here.join([&](auto& h) { return forks_at_random(h, other, left, depth - 1); },
                                    [&](auto& h) { return forks_at_random(h, other, right, depth - 1); });
      return 1 + a + b;
    }
  }
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

TEST(counted, are_forks_at_once_by_a_pool_that_is_told_to) {
  skua::pool pool({.workers = 1, .count_forks = true});
  EXPECT_EQ(forks_of(pool), 0U);
  pool.run([&](auto& here) {
    for (std::uint64_t i = 1; i <= 100; ++i) {
      here.join([&](auto&) { EXPECT_EQ(forks_of(pool), i); }, [](auto&) {});
    }
  });
  EXPECT_EQ(forks_of(pool), 100U);
}

TEST(counted, are_no_forks_otherwise) {
  skua::pool pool({.workers = 1});
  pool.run([](auto& here) { here.join([](auto&) {}, [](auto&) {}); });
  EXPECT_EQ(pool.counters()[0].forks, std::nullopt);
}

TEST(counted, are_forks_if_the_environment_says_so_and_the_program_nothing) {
  ASSERT_EQ(setenv("SKUA_COUNT_FORKS", "on", 1), 0);
  skua::pool const asked({.workers = 1});
  skua::pool const not_asked({.workers = 1, .count_forks = false});
  unsetenv("SKUA_COUNT_FORKS");
  EXPECT_EQ(forks_of(asked), 0U);
  EXPECT_EQ(not_asked.counters()[0].forks, std::nullopt);
}

/// Fibers park, move, and lie below others; joins are stolen. Two threads call.
class counted_forks : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(policies, counted_forks,
                         ::testing::Values("random", "hierarchical", "numa-ws", "auto", "strategies"));

TEST_P(counted_forks, are_all_forks_of_random_programs) {
  int exact = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    skua::pool pool({.workers = 3, .policy = GetParam(), .count_forks = true});
    auto const other = pool.open_region("random");
    std::atomic<bool> is_guest{false};  // nobody sees the counters of calls that got no worker's place
    auto const call = [&](std::uint64_t of) {
      return pool.run([&](auto& h) {
        if (skua::runtime::worker::current()->pool().is_guest()) is_guest = true;
        return forks_at_random(h, other, of, 7);
      });
    };
    std::uint64_t forks = 0;
    std::thread caller([&] { forks = call(seed); });
    std::uint64_t const mine = call(seed + 1000);
    caller.join();
    if (is_guest) continue;
    if (GetParam() == "auto" || GetParam() == "strategies") {
      EXPECT_LE(forks_of(pool), forks + mine) << "children that the policy places are not offered";
    } else {
      EXPECT_EQ(forks_of(pool), forks + mine);
    }
    ++exact;
  }
  EXPECT_GT(exact, 0);
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
