// SPDX-License-Identifier: MIT
// join, each and scope give what their serial elision gives, under every policy, on any number of workers.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "skua/parts/base/platform.hpp"
#include "skua/policy/combinations_for_test.hpp"
#include "skua/skua.hpp"
#include "tests/programs/fib.hpp"
#include "tests/programs/random_program.hpp"
#include "tests/programs/wait_until.hpp"

namespace {

using skua::testing::fib;

struct setup {
  std::string policy;
  std::uint32_t workers;
};

class joins : public ::testing::TestWithParam<setup> {
 protected:
  skua::pool pool_{{.workers = GetParam().workers, .policy = GetParam().policy}};
};

std::vector<setup> every_policy() {
  std::vector<setup> all;
  for (std::string const& policy : skua::testing::whole_policies()) {
    for (std::uint32_t workers : {1U, 2U, 3U, 7U}) all.push_back({policy, workers});
    for (std::uint32_t workers : {1U, 3U, 6U}) all.push_back({"checked:" + policy, workers});
  }
  return all;
}

std::string name_of(::testing::TestParamInfo<setup> const& p) {
  std::string name = p.param.policy + "_" + std::to_string(p.param.workers);
  std::ranges::replace_if(name, [](char c) { return c == '-' || c == ':'; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(every_policy, joins, ::testing::ValuesIn(every_policy()), name_of);

TEST_P(joins, fib_is_right) {
  for (int i = 0; i < 20; ++i) EXPECT_EQ(pool_.run([](auto& h) { return fib(h, 20); }), 6765);
}

TEST_P(joins, random_programs_answer_as_their_serial_elision) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    skua::testing::random_program reference(seed);
    skua::serial alone;
    auto const expected = reference(alone);
    skua::testing::random_program program(seed);
    auto const answer = pool_.run([&](auto& h) { return program(h); });
    EXPECT_EQ(answer, expected) << "seed " << seed;
    EXPECT_EQ(program.tasks(), reference.tasks()) << "every task exactly once; seed " << seed;
    EXPECT_EQ(program.living(), 0) << "seed " << seed;
  }
}

TEST_P(joins, values_may_be_move_only) {
  auto const sum = pool_.run([](auto& h) {
    auto [a, b, c] =
        h.join([](auto&) { return std::make_unique<int>(1); }, [](auto&) { return std::make_unique<int>(2); },
               [](auto&) { return std::make_unique<int>(3); });
    auto [d, e] = h.join([](auto&) { return std::make_unique<int>(4); }, [](auto&) {});
    static_cast<void>(e);
    return *a + *b + *c + *d;
  });
  EXPECT_EQ(sum, 10);
}

TEST_P(joins, callables_keep_their_state) {
  std::vector<int> order(8, 0);
  int n = 0;
  auto fill = [&, calls = 0](auto&) mutable { order[0] = ++calls; };
  pool_.run([&](auto& h) { h.join(fill, [&](auto&) { n = 7; }); });
  EXPECT_EQ(order[0], 1);
  EXPECT_EQ(n, 7);
}

TEST_P(joins, each_visits_every_element_once) {
  for (std::size_t n : {0UL, 1UL, 2UL, 3UL, 1000UL, 20'000UL}) {
    std::vector<int> seen(n, 0);
    pool_.run([&](auto& h) { h.join_each(seen, [](auto&, int& s) { ++s; }); });
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), static_cast<std::ptrdiff_t>(n));
  }
}

TEST_P(joins, scopes_and_joins_may_nest_deeply) {
  std::atomic<int> ran{0};
  auto nest = [&](auto& self, auto& h, int depth) -> void {
    if (depth == 0) return;
    h.scope([&](auto& s) {
      s.spawn([&, depth](auto& g) { self(self, g, depth - 1); });
      s.spawn([&](auto&) { ran.fetch_add(1, std::memory_order_relaxed); });
      h.join([&](auto& g) { self(self, g, depth - 2 > 0 ? depth - 2 : 0); }, [](auto&) {});
    });
  };
  auto count = [](auto& self, int depth) -> int {
    return depth <= 0 ? 0 : 1 + self(self, depth - 1) + self(self, depth - 2);
  };
  pool_.run([&](auto& h) { nest(nest, h, 15); });
  EXPECT_EQ(ran.load(), count(count, 15));
}

TEST_P(joins, a_scope_may_wait_above_open_joins) {
  // The scope's child is slow, so the fiber parks while the joins below it are still on offer, and resumes elsewhere.
  auto nest = [](auto& self, auto& h, int depth, std::atomic<int>& ran) -> void {
    if (depth == 0) {
      h.scope([&](auto& s) {
        s.spawn([&](auto&) {
          std::this_thread::sleep_for(std::chrono::microseconds(50));
          ++ran;
        });
        s.spawn([&](auto& g) { g.join([](auto&) {}, [&](auto&) { ++ran; }); });
        std::this_thread::sleep_for(std::chrono::microseconds(20));
      });
      return;
    }
    h.join([&](auto& g) { self(self, g, depth - 1, ran); }, [&](auto& g) { self(self, g, depth - 1, ran); });
  };
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> ran{0};
    pool_.run([&](auto& h) { nest(nest, h, 5, ran); });
    EXPECT_EQ(ran.load(), 64);
  }
}

TEST_P(joins, the_deque_grows_under_deep_recursion) {
  auto deep = [](auto& self, auto& h, int n) -> long {
    if (n == 0) return 0;
    auto [a, b] = h.join([&](auto& g) { return self(self, g, n - 1); }, [](auto&) { return 1L; });
    return a + b;
  };
  int const depth =
      skua::runtime::under_asan || skua::runtime::under_tsan ? 2'000 : 10'000;  // a sanitizer's stack frames are large
  EXPECT_EQ(pool_.run([&](auto& h) { return deep(deep, h, depth); }), depth);
}

/// A tree of joins. Counts those whose second child a thief took from the fiber that offered it.
void count_stolen(skua::fork_join auto& here, int depth, std::atomic<std::uint64_t>& stolen) {
  if (depth == 0) return std::this_thread::sleep_for(std::chrono::microseconds(10));
  here.join([&](auto& h) { count_stolen(h, depth - 1, stolen); },
            [&](auto& h) {
              if (&h != &here) stolen.fetch_add(1, std::memory_order_relaxed);
              count_stolen(h, depth - 1, stolen);
            });
}

/// Under policies that send no tasks away: elsewhere a thief may also steal what was sent.
class stealing : public joins {};

std::vector<setup> every_policy_that_sends_nothing() {
  std::vector<setup> all = every_policy();
  std::erase_if(all, [](setup const& s) {
    return s.policy.ends_with("adws") || s.policy.ends_with("replay") || s.policy.ends_with("auto");
  });
  return all;
}

INSTANTIATE_TEST_SUITE_P(policies, stealing, ::testing::ValuesIn(every_policy_that_sends_nothing()), name_of);

TEST_P(stealing, takes_one_join_each_time_and_every_stolen_join_is_taken_once) {
  // [numa-ws-2018 II] Promotions are successful steals: a join that is not stolen keeps no state.
  std::atomic<std::uint64_t> stolen{0};
  std::uint64_t runs = 0;
  EXPECT_TRUE(skua::testing::wait_until("a hundred joins are stolen from", [&] {
    ++runs;
    pool_.run([&](auto& h) { count_stolen(h, 6, stolen); });
    return stolen.load() >= 100 || pool_.num_workers() == 1;
  }));
  std::uint64_t steals = 0;
  for (auto const& c : pool_.counters()) steals = std::accumulate(c.steals.begin(), c.steals.end(), steals);
  // numa-ws puts a root into the first worker's mailbox; stealing it there takes no join.
  std::uint64_t const roots = GetParam().policy.ends_with("numa-ws") ? runs : 0;
  EXPECT_GE(steals, stolen.load());
  EXPECT_LE(steals, stolen.load() + roots);
}

}  // namespace
