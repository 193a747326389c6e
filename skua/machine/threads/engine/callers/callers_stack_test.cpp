// SPDX-License-Identifier: MIT
// On whose stack the body of a call from outside runs: on the caller's if that is about as large as the pool's, else on one of the
// pool's. (caller.md, "Stacks")
#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>

#include "skua/parts/base/platform.hpp"
#include "skua/skua.hpp"
#include "tests/programs/every_policy.hpp"
#include "tests/programs/fib.hpp"
#include "tests/programs/this_thread.hpp"

namespace {

using skua::testing::fib;
using skua::testing::this_thread_number;

constexpr std::size_t small_stack = std::size_t{128} << 10;  // musl's default
constexpr long deep = skua::runtime::under_asan || skua::runtime::under_tsan ? 2'000 : 10'000;

class callers_on_small_stacks : public skua::testing::under_every_policy {};

/// Runs f() on a thread with a stack of that size, and waits for it.
void on_stack_of(std::size_t bytes, std::function<void()> f) {
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, bytes), 0);
  pthread_t thread;
  auto const main_of_thread = [](void* what) -> void* {
    (*static_cast<std::function<void()>*>(what))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, main_of_thread, &f), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

long chain(auto& here, long n) {
  if (n == 0) return 0;
  auto [below, one] = here.join([n](auto& h) { return chain(h, n - 1); }, [](auto&) { return 1L; });
  return below + one;
}

std::uintptr_t frame() { return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)); }

/// How far the body's frame is from its caller's.
std::uintptr_t distance_of_a_body(skua::pool& pool) {
  std::uintptr_t const mine = frame();
  std::uintptr_t const body = pool.run([](auto&) { return frame(); });
  return mine > body ? mine - body : body - mine;
}

}  // namespace

TEST_P(callers_on_small_stacks, recurse_as_deep_as_tasks) {
  skua::pool pool(workers(2));
  for (int round = 0; round < 3; ++round)
    on_stack_of(small_stack, [&] { EXPECT_EQ(pool.run([](auto& h) { return chain(h, deep); }), deep); });
}

TEST_P(callers_on_small_stacks, keep_to_their_thread_while_they_wait) {
  skua::pool pool(workers(2));
  // A call may be handed to a worker that is awake; there it is a task, and its joins may go on elsewhere.
  std::atomic<int> on_their_own{0};
  auto const call_often = [&] {
    for (int round = 0; round < 20; ++round) {
      skua::one_shot<int> question;
      std::thread answers;
      auto const thread = this_thread_number();
      pool.run([&](auto& h) {
        bool const is_handed_over = this_thread_number() != thread;
        on_their_own += is_handed_over ? 0 : 1;
        answers = std::thread([&] { question.set_value(round); });
        EXPECT_EQ(fib(h, 12), 144);
        EXPECT_EQ(question.wait(), round);
        EXPECT_EQ(fib(h, 12), 144);
        EXPECT_TRUE(is_handed_over || this_thread_number() == thread);
      });
      answers.join();
    }
  };
  std::thread other([&] { on_stack_of(small_stack, call_often); });
  on_stack_of(small_stack, call_often);
  other.join();
  EXPECT_GT(on_their_own.load(), 0);
}

TEST(callers_stacks, a_large_one_carries_the_call) {
  skua::pool pool({.workers = 1, .stack_bytes = std::size_t{256} << 10});
  on_stack_of(std::size_t{1} << 20, [&] { EXPECT_LT(distance_of_a_body(pool), std::size_t{1} << 20); });
}

TEST(callers_stacks, a_small_one_carries_the_call_no_further_than_its_entry) {
  skua::pool pool({.workers = 1, .stack_bytes = std::size_t{1} << 20});
  on_stack_of(small_stack, [&] { EXPECT_GT(distance_of_a_body(pool), small_stack); });
}

TEST(callers_stacks, larger_stacks_of_the_pool_help_calls_of_ordinary_threads) {
  if (skua::runtime::under_tsan) GTEST_SKIP() << "ThreadSanitizer's own record of calls ends before the stack does";
  // One worker: a thief of all the small tasks would make the joins look for each other.
  skua::pool pool({.workers = 1, .stack_bytes = std::size_t{256} << 20});
  long const n = 10 * deep;
  std::thread([&] { EXPECT_EQ(pool.run([n](auto& h) { return chain(h, n); }), n); }).join();
}

TEST(callers_stacks, a_body_on_another_stack_is_on_its_callers_thread) {
  skua::pool pool(1);
  on_stack_of(small_stack, [&] {
    auto const thread = this_thread_number();
    for (int round = 0; round < 100; ++round) EXPECT_EQ(pool.run([](auto&) { return this_thread_number(); }), thread);
  });
}

TEST(callers_stacks, an_exception_crosses_them) {
  skua::pool pool(2);
  on_stack_of(small_stack, [&] {
    for (int round = 0; round < 10; ++round) {
      try {
        pool.run([&](auto& h) { h.join([](auto&) {}, [](auto&) { throw std::runtime_error("from the second"); }); });
        ADD_FAILURE() << "nothing is thrown";
      } catch (std::runtime_error const& e) {
        EXPECT_EQ(std::string(e.what()), "from the second");
      }
    }
  });
}

TEST(callers_stacks, a_body_sees_the_exception_that_its_caller_handles) {
  skua::pool pool(2);
  on_stack_of(small_stack, [&] {
    for (int round = 0; round < 10; ++round) {
      try {
        throw std::runtime_error("handled");
      } catch (std::runtime_error const&) {
        EXPECT_TRUE(pool.run([](auto&) { return std::current_exception() != nullptr; }));
        EXPECT_THROW(pool.run([](auto& h) {
          EXPECT_EQ(fib(h, 10), 55);
          throw;
        }),
                     std::runtime_error);
        EXPECT_NE(std::current_exception(), nullptr);
      }
      EXPECT_EQ(std::current_exception(), nullptr);
    }
  });
}

TEST(callers_stacks, calls_nest_in_pools_and_groups) {
  skua::pool one(2);
  skua::pool two(2);
  on_stack_of(small_stack, [&] {
    for (int round = 0; round < 10; ++round) {
      long const sum = one.run([&](auto&) {
        long inner = two.run([&](auto& h) { return chain(h, 1'000) + one.run([](auto& g) { return chain(g, 100); }); });
        skua::task_group group;
        long mine = 0;
        group.run_and_wait([&] { mine = two.run([](auto& h) { return chain(h, 10); }); });
        return inner + mine;
      });
      EXPECT_EQ(sum, 1'110);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(policies, callers_on_small_stacks, ::testing::ValuesIn(skua::testing::checked_policies()),
                         skua::testing::policy_in_a_name);
