// SPDX-License-Identifier: MIT
// fork() in a program whose pools are in use: docs/guide/borders.md.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

#include "skua/as_tbb.hpp"
#include "skua/parts/context/sanitizer.hpp"
#include "skua/skua.hpp"
#include "tests/programs/fib.hpp"
#include "tests/programs/wait_until.hpp"

namespace {

using skua::testing::fib;
using skua::testing::wait_until;

class fork_border : public ::testing::Test {
 protected:
  void SetUp() override {
    if (skua::runtime::under_tsan) GTEST_SKIP() << "ThreadSanitizer allows no new threads in a child of fork()";
  }
};

/// The status of a child of fork() that runs f, which returns what is wrong, as bits.
template <class F>
int status_in_a_child(F f) {
  pid_t const child = ::fork();
  if (child == 0) {
    ::alarm(100);
    ::_exit(f());
  }
  int status = -1;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool is_refused(skua::pool& pool) {
  try {
    pool.run([] {});
  } catch (skua::error const&) {
    return true;
  }
  return false;
}

int sum_by_the_default_pool() {
  std::atomic<int> sum{0};
  skua::parallel_for(0, 100, [&](int i) { sum += i; });
  return sum;
}

TEST_F(fork_border, comes_while_another_thread_makes_the_default_pool) {
  for (int i = 0; i < 20; ++i) {
    int const status = status_in_a_child([] {
      std::atomic<bool> is_made{false};
      std::thread maker([&is_made] {
        sum_by_the_default_pool();
        is_made = true;
      });
      int wrong = 0;
      while (wrong == 0 && !is_made)
        wrong = status_in_a_child([] { return sum_by_the_default_pool() == 4950 ? 0 : 1; });
      maker.join();
      return wrong;
    });
    ASSERT_EQ(status, 0) << i;
  }
}

TEST_F(fork_border, a_child_of_a_pool_that_works_has_pools_of_its_own) {
  auto pool = std::make_unique<skua::pool>(skua::pool_options{.workers = 2});
  std::atomic<bool> ends{false};
  std::atomic<int> runs{0};
  std::thread busy([&] {
    while (!ends) {
      pool->run([](auto& here) { fib(here, 15); });
      ++runs;
    }
  });
  EXPECT_EQ(sum_by_the_default_pool(), 4950);
  for (int i = 0; i < 10; ++i) {
    wait_until("the pool works", [&, before = runs.load()] { return runs != before; });
    EXPECT_EQ(status_in_a_child([&] {
                int wrong = is_refused(*pool) ? 0 : 1;
                pool.reset();  // it has no workers here
                if (skua::pool(2).run([](auto& here) { return fib(here, 10); }) != 55) wrong |= 2;
                if (sum_by_the_default_pool() != 4950) wrong |= 4;
                return wrong;
              }),
              0);
  }
  ends = true;
  busy.join();
  EXPECT_EQ(pool->run([](auto& here) { return fib(here, 10); }), 55);
}

TEST_F(fork_border, a_task_may_fork) {
  skua::pool pool(2);
  pool.run([&](auto& here) {
    here.join([&](auto&) { EXPECT_EQ(status_in_a_child([&] { return is_refused(pool) ? 0 : 1; }), 0); },
              [&](auto&) {
                EXPECT_EQ(status_in_a_child([] {
                            ::execl("/bin/true", "true", nullptr);
                            return 1;
                          }),
                          0);
              });
    EXPECT_EQ(fib(here, 10), 55);
  });
}

/// Its thread is that of a worker whose pool has no others: loops run in it alone, and other pools are pools.
TEST_F(fork_border, a_child_of_a_task_goes_on_alone_and_makes_pools) {
  skua::pool pool(2);
  pool.run([&](auto& here) {
    EXPECT_EQ(status_in_a_child([&] {
                int wrong = fib(here, 10) == 55 ? 0 : 1;
                if (skua::pool(2).run([](auto& h) { return fib(h, 10); }) != 55) wrong |= 2;
                if (sum_by_the_default_pool() != 4950) wrong |= 4;
                std::thread([&] {
                  if (sum_by_the_default_pool() != 4950) wrong |= 8;
                }).join();
                return wrong;
              }),
              0);
    EXPECT_EQ(fib(here, 10), 55);
  });
}

/// A limit lies on the stack of a thread that the child does not have, and whose stack its own threads get.
TEST_F(fork_border, limits_that_other_threads_have_made_do_no_harm_in_a_child) {
  std::atomic<int> made{0};
  std::atomic<bool> ends{false};
  std::vector<std::thread> limiting;
  for (std::size_t most = 1; most <= 3; ++most) {
    limiting.emplace_back([&, most] {
      skua::tbb::global_control const limit(skua::tbb::global_control::max_allowed_parallelism, most);
      ++made;
      while (!ends) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
  }
  wait_until("all limits live", [&] { return made == 3; });
  auto const uses_limits = [] {
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 6; ++t) {
      threads.emplace_back([&wrong, t] {
        std::array<unsigned char, 20'000> garbage;
        garbage.fill(static_cast<unsigned char>(0xff));
        for (int i = 0; i < 20; ++i) {
          skua::tbb::global_control const limit(skua::tbb::global_control::max_allowed_parallelism,
                                                1 + static_cast<std::size_t>(t + i) % 3);
          if (sum_by_the_default_pool() != 4950 || garbage[static_cast<std::size_t>(i)] != 0xff) ++wrong;
        }
      });
    }
    for (auto& t : threads) t.join();
    return wrong.load() == 0 ? 0 : 1;
  };
  EXPECT_EQ(status_in_a_child(uses_limits), 0);
  ends = true;
  for (auto& t : limiting) t.join();
}

}  // namespace
