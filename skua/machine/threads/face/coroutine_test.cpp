// SPDX-License-Identifier: MIT
// Coroutines that wait for a one_shot or for a pool: they get the value or the exception, and resume on a worker of the
// pool, never on the thread that set the value.
#include "skua/machine/threads/face/coroutine.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <coroutine>
#include <deque>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "skua/parts/base/platform.hpp"
#include "skua/skua.hpp"
#include "tests/programs/fib.hpp"
#include "tests/programs/this_thread.hpp"
#include "tests/programs/wait_until.hpp"

namespace {

using skua::testing::fib;
using skua::testing::this_thread_number;
using skua::testing::wait_until;

/// A coroutine that begins at once, without a waiter.
struct detached {
  struct promise_type {
    detached get_return_object() noexcept { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() noexcept { std::terminate(); }
  };
};

detached sum_of(std::deque<skua::one_shot<int>>& parts, skua::one_shot<int>& sum) {
  int all = 0;
  for (auto& part : parts) all += co_await part;
  sum.set_value(all);
}

detached compute(skua::pool& pool, int n, skua::one_shot<long>& answer) {
  try {
    long const first = co_await skua::run_on(pool, [n](auto& h) { return fib(h, n); });
    long const second = co_await skua::run_on(pool, [n](auto& h) { return fib(h, n + 1); });
    answer.set_value(first + second);
  } catch (...) {
    answer.set_exception(std::current_exception());
  }
}

}  // namespace

TEST(coroutine, a_pool_computes_for_a_coroutine_that_began_outside) {
  for (std::uint32_t const workers : {1U, 2U}) {
    skua::pool pool({.workers = workers});
    std::deque<skua::one_shot<long>> answers(50);
    for (auto& answer : answers) compute(pool, 10, answer);
    for (auto& answer : answers) EXPECT_EQ(answer.wait(), 55 + 89);
    pool.drain();
  }
}

TEST(coroutine, it_goes_on_in_a_worker_of_the_pool) {
  skua::pool pool({.workers = 1});
  skua::one_shot<> done;
  auto const began = this_thread_number();
  long computed = 0;
  long went_on = 0;
  std::uint32_t workers = 0;
  [](skua::pool& p, auto& there, auto& on, auto& count, auto& end) -> detached {
    there = co_await skua::run_on(p, [] { return this_thread_number(); });
    on = this_thread_number();
    count = skua::this_worker() ? skua::num_workers() : 0;
    end.set_value();
  }(pool, computed, went_on, workers, done);
  done.wait();
  EXPECT_NE(computed, began);
  EXPECT_EQ(computed, went_on);
  EXPECT_EQ(workers, 1U);
}

TEST(coroutine, a_value_from_another_thread_resumes_it_on_a_worker) {
  for (int round = 0; round < 50; ++round) {
    skua::pool pool({.workers = 2});
    std::deque<skua::one_shot<int>> parts(20);
    skua::one_shot<int> sum;
    skua::one_shot<bool> on_worker;
    pool.enqueue([&] { sum_of(parts, sum); });
    pool.enqueue([&] {
      [](auto& first, auto& out) -> detached {
        co_await first;
        out.set_value(skua::this_worker().has_value());
      }(sum, on_worker);
    });
    std::thread io([&] {
      for (std::size_t i = 0; i < parts.size(); ++i) parts[i].set_value(static_cast<int>(i));
    });
    EXPECT_TRUE(on_worker.wait());
    io.join();
    pool.drain();
  }
}

TEST(coroutine, a_coroutine_that_began_outside_goes_on_in_the_default_pool) {
  skua::one_shot<int> part;
  skua::one_shot<long> where;
  [](auto& first, auto& out) -> detached {
    int const got = co_await first;
    EXPECT_EQ(got, 3);
    out.set_value(this_thread_number());
  }(part, where);
  long setter = 0;
  std::thread io([&] {
    setter = this_thread_number();
    part.set_value(3);
  });
  auto const resumed_on = where.wait();
  EXPECT_NE(resumed_on, setter);
  EXPECT_NE(resumed_on, this_thread_number());
  io.join();
  skua::default_pool().drain();
}

TEST(coroutine, exceptions_cross_both_ways) {
  skua::pool pool({.workers = 2});
  skua::one_shot<std::string> heard;
  skua::one_shot<int> part;
  [](skua::pool& p, auto& from, auto& out) -> detached {
    std::string all;
    try {
      co_await skua::run_on(p, [] { throw std::runtime_error("computed"); });
    } catch (std::runtime_error const& e) {
      all += e.what();
    }
    try {
      all += std::to_string(co_await from);
    } catch (std::runtime_error const& e) {
      all += e.what();
    }
    out.set_value(all);
  }(pool, part, heard);
  // Made here, because TSan does not see how libstdc++ counts who shares the text of an exception.
  auto const why = std::make_exception_ptr(std::runtime_error(" set"));
  std::thread io([&] { part.set_exception(why); });
  EXPECT_EQ(heard.wait(), "computed set");
  io.join();
}

TEST(coroutine, a_value_that_is_there_does_not_suspend_it) {
  skua::one_shot<int> part;
  part.set_value(4);
  int got = 0;
  [](auto& from, int& out) -> detached { out = co_await from; }(part, got);
  EXPECT_EQ(got, 4) << "it went on here and now";
}

TEST(coroutine, a_second_waiter_is_an_error_inside_the_coroutine) {
  skua::pool pool({.workers = 1});
  skua::one_shot<int> part;
  skua::one_shot<bool> refused;
  std::atomic<bool> first_waits{false};
  pool.enqueue([&] {
    [](auto& from) -> detached { static_cast<void>(co_await from); }(part);
    first_waits = true;
    [](auto& from, auto& out) -> detached {
      try {
        static_cast<void>(co_await from);
        out.set_value(false);
      } catch (skua::usage_error const&) {
        out.set_value(true);
      }
    }(part, refused);
  });
  EXPECT_TRUE(refused.wait());
  part.set_value(1);
  pool.drain();
}

TEST(coroutine, the_pool_waits_for_coroutines_that_wait) {
  std::atomic<bool> went_on{false};
  skua::one_shot<> part;
  std::thread io;
  {
    skua::pool pool({.workers = 1});
    std::atomic<bool> began{false};
    pool.enqueue([&] {
      [](auto& from, auto& out) -> detached {
        co_await from;
        out = true;
      }(part, went_on);
      began = true;
    });
    wait_until("the coroutine waits", [&] { return began.load(); });
    io = std::thread([&] { part.set_value(); });
  }
  EXPECT_TRUE(went_on.load()) << "the pool ended before its coroutine";
  io.join();
}

TEST(coroutine, what_the_function_owns_is_destroyed_once) {
  skua::pool pool({.workers = 1});
  auto const owned = std::make_shared<int>(6);
  skua::one_shot<int> answer;
  [](skua::pool& p, std::shared_ptr<int> mine, auto& out) -> detached {
    auto const twice = [mine] { return 2 * *mine; };
    int const doubled = co_await skua::run_on(p, twice);
    auto own = [only = std::make_unique<int>(3)] { return *only; };
    out.set_value(doubled + co_await skua::run_on(p, std::ref(own)));
  }(pool, owned, answer);
  EXPECT_EQ(answer.wait(), 15);
  pool.drain();
  EXPECT_EQ(owned.use_count(), 1);
}

TEST(coroutine, references_are_copied_and_move_only_values_move) {
  skua::pool pool({.workers = 1});
  skua::one_shot<int> answer;
  static int const global = 5;
  [](skua::pool& p, auto& out) -> detached {
    int const copy = co_await skua::run_on(p, []() -> int const& { return global; });
    std::unique_ptr<int> const own = co_await skua::run_on(p, [] { return std::make_unique<int>(7); });
    co_await skua::run_on(p, [] {});
    out.set_value(copy + *own);
  }(pool, answer);
  EXPECT_EQ(answer.wait(), 12);
}

/// The value comes between the two questions that `co_await` asks: whether it is there, and whether it may be waited for.
TEST(coroutine, one_that_need_not_wait_is_not_waited_for) {
  auto pool = std::make_unique<skua::pool>(skua::pool_options{.workers = 2});
  pool->run([](auto&) {
    skua::one_shot<int> answer;
    auto awaiter = operator co_await(answer);
    EXPECT_FALSE(awaiter.await_ready());
    answer.set_value(7);
    EXPECT_FALSE(awaiter.await_suspend(std::noop_coroutine()));
    EXPECT_EQ(awaiter.await_resume(), 7);
  });
  auto const drained = std::make_shared<std::atomic<bool>>(false);
  std::thread drains([p = pool.get(), drained] {
    p->drain();
    *drained = true;
  });
  if (wait_until("the pool is drained", [&] { return drained->load(); })) return drains.join();
  drains.detach();
  static_cast<void>(pool.release());  // it waits for ever
}

TEST(coroutine, coroutines_and_tasks_mix) {
  int const many = skua::runtime::under_tsan ? 200 : 2000;
  skua::pool pool({.workers = 2});
  std::atomic<long> sum{0};
  for (int i = 0; i < many; ++i) {
    [](skua::pool& p, std::atomic<long>& all) -> detached {
      skua::one_shot<long> part;
      p.enqueue([&part](auto& h) { part.set_value(fib(h, 6)); });
      long const a = co_await part;
      long const b = co_await skua::run_on([](auto& h) {
        skua::one_shot<long> inner;
        skua::enqueue([&inner] { inner.set_value(2); });
        return inner.wait(h);
      });
      all += a + b;
    }(pool, sum);
  }
  skua::default_pool().drain();
  pool.drain();
  skua::default_pool().drain();
  EXPECT_EQ(sum.load(), many * 10L);
}
