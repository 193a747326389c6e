// SPDX-License-Identifier: MIT
// A program that is compiled with -fsanitize=thread and linked with the ordinary library, which is not. The library announces its
// switches of stacks and its handshakes at run time (skua/parts/base/sanitizers.hpp), so ThreadSanitizer takes nothing here for a
// race; a report lets the program fail at its end. Here are the faces that tests/mixed, which is compiled so, too, does not draw.
// All data is plain: each sum is right only if the runtime orders whoever reads it after whoever wrote it.
#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "skua/parts/base/platform.hpp"
#include "skua/policy/combinations_for_test.hpp"
#include "skua/skua.hpp"

static_assert(skua::runtime::under_tsan && !skua::runtime::in_library);

namespace {

class watched : public ::testing::TestWithParam<std::string> {
 protected:
  skua::pool pool_{{.workers = 4, .policy = GetParam()}};
};

constexpr std::size_t n = 2'000;
constexpr std::size_t all = n * (n - 1) / 2;

std::vector<std::size_t> numbers() {
  std::vector<std::size_t> x(n);
  std::iota(x.begin(), x.end(), std::size_t{0});
  return x;
}

std::size_t tree(auto& here, std::size_t first, std::size_t last) {
  if (last - first == 1) return first;
  std::size_t const middle = first + (last - first) / 2;
  auto [a, b] =
      here.join([=](auto& h) { return tree(h, first, middle); }, [=](auto& h) { return tree(h, middle, last); });
  return a + b;
}

}  // namespace

TEST_P(watched, loops_write_plain_elements_that_the_caller_reads) {
  std::vector<std::size_t> x(n);
  for (std::size_t round = 0; round < 20; ++round) {
    pool_.run([&](auto& here) {
      skua::for_each(here, std::size_t{0}, n, [&](std::size_t i) { x[i] = i + round; }, skua::grain{7});
      EXPECT_EQ(skua::reduce(here, x, std::size_t{0}, std::plus<>()), all + n * round);
      skua::sort(here, x, std::greater<>());
    });
    EXPECT_EQ(x.front(), n - 1 + round);
  }
}

TEST_P(watched, callers_read_what_their_trees_and_workers_wrote) {
  skua::worker_local<std::size_t> mine;
  std::vector<std::thread> callers;
  std::vector<std::size_t> sums(3);
  for (std::size_t c = 0; c < sums.size(); ++c) {
    callers.emplace_back([&, c] {
      for (int round = 0; round < 10; ++round) {
        sums[c] += pool_.run([](auto& here) { return tree(here, 0, n); });
        pool_.run([&](auto& here) {
          skua::for_each(here, std::size_t{0}, n, [&](std::size_t i) { mine.local() += i; }, skua::grain{10});
        });
      }
    });
  }
  for (std::thread& c : callers) c.join();
  EXPECT_EQ(sums, std::vector<std::size_t>(3, 10 * all));
  EXPECT_EQ(mine.combine(std::plus<>()), 3 * 10 * all);
}

TEST_P(watched, teams_and_ordered_tasks_meet_at_the_end_of_their_region) {
  for (std::size_t round = 0; round < 10; ++round) {
    std::vector<std::size_t> x(64);
    pool_.run([&](auto& here) {
      skua::flow graph(here);
      auto const first = graph.add([&](auto&) { x[0] = 1; });
      for (std::size_t k = 1; k < 32; ++k) {
        graph.add_team(skua::after(first), [&x, k](auto& team) {
          if (team.member() == 0) x[k] = x[0] + k;
        });
      }
      graph.run(here);
      here.finish([&](auto& f) {
        for (std::size_t k = 32; k < 64; ++k)
          f.spawn(skua::strategies::order{static_cast<double>(k % 5), 0}, [&x, k](auto&) { x[k] = x[k - 32] + 32; });
      });
    });
    for (std::size_t k = 1; k < 64; ++k) EXPECT_EQ(x[k], k == 32 ? 33 : k + 1) << k;
  }
}

TEST_P(watched, a_call_that_fails_leaves_what_it_wrote_to_its_caller) {
  for (std::size_t round = 0; round < 20; ++round) {
    auto x = numbers();
    try {
      pool_.run([&](auto& here) {
        skua::for_each(here, std::size_t{0}, n, [&](std::size_t i) {
          x[i] += round;
          if (i == n / 2) throw std::runtime_error("half");
        });
      });
      FAIL() << "the exception is lost";
    } catch (std::runtime_error const& e) {
      x[n / 3] = x[n / 2];
      EXPECT_STREQ(e.what(), "half");
    }
  }
}

TEST(watched_program, conventional_calls_order_what_the_caller_does_around_them) {
  std::size_t sum = 0;
  for (std::size_t round = 0; round < 20; ++round) {
    auto x = numbers();
    skua::parallel_for(std::size_t{0}, n, [&](std::size_t i) { x[i] += round; });
    skua::task_group group;
    for (std::size_t part = 0; part < 4; ++part)
      group.run([&, part] {
        for (std::size_t i = part; i < n; i += 4) x[i] += part;
      });
    group.wait();
    sum += x[n - 1];
  }
  EXPECT_EQ(sum, 20 * (n - 1 + 3) + 190);
}

// Each list of regions that a worker still holds keeps closed ones alive: often another thread than the one that closed a region frees it.
TEST(watched_program, regions_are_freed_by_whoever_was_last) {
  skua::pool pool({.workers = 4, .policy = "random"});
  std::vector<std::size_t> done(3);
  std::vector<std::thread> callers;
  for (std::size_t& mine : done)
    callers.emplace_back([&pool, &mine] {
      for (std::size_t round = 0; round < 200; ++round) {
        skua::region own = pool.open_region("random", 2);
        mine += own.run([](auto& here) { return tree(here, 0, 8); });
      }
    });
  for (std::thread& c : callers) c.join();
  for (std::size_t const mine : done) EXPECT_EQ(mine, 200 * 28U);
}

INSTANTIATE_TEST_SUITE_P(policies, watched, ::testing::ValuesIn([] { return skua::testing::whole_policies(); }()),
                         [](auto const& chosen) {
                           std::string name = chosen.param;
                           for (char& c : name) c = c == '-' || c == ':' ? '_' : c;
                           return name;
                         });
