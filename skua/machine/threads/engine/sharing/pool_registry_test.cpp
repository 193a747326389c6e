// SPDX-License-Identifier: MIT
// What pools of one process see of each other, and what they do about it.
#include "skua/machine/threads/engine/sharing/pool_registry.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "skua/machine/threads/engine/core/pool_core.hpp"
#include "skua/parts/topology/affinity.hpp"
#include "skua/skua.hpp"
#include "tests/programs/fib.hpp"

namespace {

using skua::runtime::pool_registry;
using skua::runtime::sleep_counts;

constexpr std::uint64_t begin_ns = 1'000'000'000;
constexpr std::uint64_t short_ns = pool_registry::worth_ns / 2;
constexpr std::uint64_t long_ns = pool_registry::worth_ns * 2;

/// Two pools of two workers, on two processors unless a test says otherwise.
class two_pools : public ::testing::Test {
 protected:
  void SetUp() override {
    mine = all.enter(2);
    other = all.enter(2);
    ASSERT_NE(mine, nullptr);
    ASSERT_NE(other, nullptr);
    set(*mine, 1, 1);
    set(*other, 0, 2);
  }
  static void set(pool_registry::entry& of, std::uint32_t searching, std::uint32_t asleep) {
    of.counts().store(searching * sleep_counts::one_searching + asleep * sleep_counts::one_asleep,
                      std::memory_order_relaxed);
  }
  [[nodiscard]] bool is_asked(std::uint64_t at_ns, std::uint32_t processors = 2) {
    return all.others_need_processor(*mine, processors, begin_ns + at_ns);
  }

  pool_registry all;
  pool_registry::entry* mine = nullptr;
  pool_registry::entry* other = nullptr;
};

TEST_F(two_pools, a_searcher_keeps_its_processor_while_no_other_pool_runs_a_task) {
  set(*other, 2, 0);
  EXPECT_FALSE(is_asked(0));
  EXPECT_FALSE(is_asked(10 * long_ns));
}

TEST_F(two_pools, a_searcher_offers_its_processor_to_a_call_that_lasts) {
  set(*other, 1, 0);
  EXPECT_FALSE(is_asked(0));
  EXPECT_FALSE(is_asked(short_ns)) << "it may end before the other thread has come";
  EXPECT_TRUE(is_asked(long_ns));
}

TEST_F(two_pools, where_calls_last_it_offers_its_processor_at_once) {
  set(*other, 1, 0);
  EXPECT_FALSE(is_asked(0));
  set(*other, 1, 1);
  EXPECT_FALSE(is_asked(long_ns)) << "it has ended";
  set(*other, 1, 0);
  EXPECT_TRUE(is_asked(long_ns + 1));
}

TEST_F(two_pools, after_a_short_call_it_waits_again_before_it_offers_its_processor) {
  for (std::uint64_t const lasts : {long_ns, short_ns}) {
    set(*other, 1, 0);
    static_cast<void>(is_asked(0));
    set(*other, 1, 1);
    static_cast<void>(is_asked(lasts));
  }
  set(*other, 1, 0);
  EXPECT_FALSE(is_asked(long_ns + 1));
}

TEST_F(two_pools, the_pools_own_calls_are_no_reason) {
  set(*mine, 1, 0);
  EXPECT_FALSE(is_asked(0));
  EXPECT_FALSE(is_asked(long_ns));
  set(*other, 2, 0);
  EXPECT_FALSE(is_asked(2 * long_ns));
}

TEST_F(two_pools, a_searcher_keeps_its_processor_while_there_are_enough) {
  set(*other, 1, 0);
  static_cast<void>(is_asked(0));
  EXPECT_TRUE(is_asked(long_ns, 2)) << "three are awake";
  EXPECT_FALSE(is_asked(long_ns, 3));
}

TEST_F(two_pools, contend_while_both_run_tasks_on_too_few_processors) {
  set(*other, 1, 0);
  static_cast<void>(is_asked(0));
  EXPECT_FALSE(all.is_contended(begin_ns)) << "only the other one runs a task";
  set(*mine, 1, 0);
  static_cast<void>(is_asked(1, 4));
  EXPECT_FALSE(all.is_contended(begin_ns + 1)) << "there are enough processors";
  static_cast<void>(is_asked(2));
  EXPECT_TRUE(all.is_contended(begin_ns + 2));
  EXPECT_FALSE(all.is_contended(begin_ns + 2 + pool_registry::contention_ns));
}

TEST_F(two_pools, a_pool_that_has_ended_is_forgotten) {
  set(*other, 0, 0);
  static_cast<void>(is_asked(0));
  EXPECT_TRUE(is_asked(long_ns));
  all.leave(other);
  EXPECT_FALSE(is_asked(2 * long_ns));
  other = all.enter(2);
  set(*other, 0, 0);
  EXPECT_FALSE(is_asked(2 * long_ns)) << "the new pool in its entry has run for no time yet";
}

TEST_F(two_pools, there_may_be_more_pools_than_entries) {
  std::vector<pool_registry::entry*> more;
  while (pool_registry::entry* const e = all.enter(1)) more.push_back(e);
  EXPECT_EQ(more.size(), pool_registry::capacity - 2);
  all.leave(more.front());
  EXPECT_EQ(all.enter(1), more.front());
}

TEST_F(two_pools, a_pool_that_begins_runs_nothing) {
  all.leave(other);
  other = all.enter(2);
  EXPECT_FALSE(is_asked(0));
  EXPECT_FALSE(is_asked(long_ns));
}

TEST_F(two_pools, a_child_of_fork_does_not_heed_the_parents_pools) {
  set(*other, 0, 0);
  static_cast<void>(is_asked(0));
  ASSERT_TRUE(is_asked(long_ns));
  pid_t const child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    pool_registry::entry* const own = all.enter(2);
    set(*own, 2, 0);
    ::_exit(own != nullptr && !all.others_need_processor(*own, 1, begin_ns + 2 * long_ns) ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(two_pools, bound_processors_are_known_until_their_pool_ends) {
  for (std::uint32_t const p : {1U, 64U, 1023U, 5000U}) other->binds_to(p);
  EXPECT_TRUE(all.is_bound_to(1));
  EXPECT_TRUE(all.is_bound_to(64));
  EXPECT_TRUE(all.is_bound_to(1023));
  EXPECT_FALSE(all.is_bound_to(0));
  EXPECT_FALSE(all.is_bound_to(5000)) << "beyond what an entry can say";
  all.leave(other);
  EXPECT_FALSE(all.is_bound_to(1));
}

// ---- with pools ----------------------------------------------------------------------------------------------------

TEST(pools, of_one_worker_each_are_bound_to_different_processors) {
  skua::runtime::cpu_mask const whole = skua::runtime::affinity_of_this_thread();
  if (whole.size() < 2) GTEST_SKIP() << "this needs two processors";
  auto const first = std::make_unique<skua::pool>(skua::pool_options{.workers = 1, .pin = true});
  auto const second = std::make_unique<skua::pool>(skua::pool_options{.workers = 1, .pin = true});
  auto const home = [](skua::pool const& p) { return p.layout().pu_of(skua::worker_id{0}); };
  EXPECT_NE(home(*first), home(*second));
  if (whole.size() == 2) {
    skua::pool const third({.workers = 1, .pin = true});
    EXPECT_TRUE(home(third) == home(*first) || home(third) == home(*second)) << "there is no other";
  }
}

TEST(pools, that_list_their_places_get_these) {
  skua::runtime::cpu_mask const whole = skua::runtime::affinity_of_this_thread();
  if (whole.size() < 2) GTEST_SKIP() << "this needs two processors";
  std::uint32_t const chosen = whole.members()[0];
  std::string const places = "{" + std::to_string(chosen) + "}";
  skua::pool const first({.workers = 1, .places = places, .pin = true});
  skua::pool const second({.workers = 1, .places = places, .pin = true});
  EXPECT_EQ(second.layout().pu_of(skua::worker_id{0}), chosen);
}

/// Loops of one pool until they have been run `rounds` times beside those of another; each sum is checked.
void sum_again_and_again(skua::pool& on, int rounds) {
  std::vector<std::uint64_t> numbers(5000);
  std::iota(numbers.begin(), numbers.end(), std::uint64_t{0});
  for (int i = 0; i < rounds; ++i) {
    std::uint64_t const sum =
        on.run([&](auto& here) { return skua::reduce(here, numbers, std::uint64_t{0}, std::plus<>()); });
    ASSERT_EQ(sum, 12'497'500U);
  }
}

TEST(pools, called_in_turn_and_at_once_lose_nothing) {
  skua::pool first(2);
  skua::pool second(2);
  for (int i = 0; i < 200; ++i) {
    sum_again_and_again(first, 1);
    sum_again_and_again(second, 1);
  }
  std::jthread beside([&] { sum_again_and_again(second, 500); });
  sum_again_and_again(first, 500);
}

TEST(pools, that_call_each_other_lose_nothing) {
  skua::pool first(2);
  skua::pool second(2);
  long const answer = first.run([&](auto& here) {
    auto [a, b] = here.join([&](auto&) { return second.run([](auto& h) { return skua::testing::fib(h, 16); }); },
                            [](auto& h) { return skua::testing::fib(h, 17); });
    return static_cast<long>(a) + static_cast<long>(b);
  });
  EXPECT_EQ(answer, 987 + 1597);
}

/// Pools are made and end while others search.
TEST(pools, come_and_go_beside_others_that_search) {
  skua::pool stays(2);
  std::jthread beside([&] { sum_again_and_again(stays, 300); });
  for (int i = 0; i < 30; ++i) {
    skua::pool comes(2);
    sum_again_and_again(comes, 3);
  }
}

}  // namespace
