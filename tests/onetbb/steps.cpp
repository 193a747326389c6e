// SPDX-License-Identifier: MIT
// Arenas, data per thread and limits: what oneTBB's programs use beside its algorithms. Compiled and run twice, like forms.cpp; only the include
// differs.
#include <gtest/gtest.h>
#include <tbb/tbb.h>

#include <atomic>
#include <functional>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace t = tbb;

TEST(global_control, changes_from_call_to_call) {
  auto const parameter = t::global_control::max_allowed_parallelism;
  for (std::size_t workers : {1U, 2U, 4U, 1U}) {
    t::global_control const limit(parameter, workers);
    EXPECT_EQ(t::global_control::active_value(parameter), workers);
    t::global_control const wider(parameter, 8);
    EXPECT_EQ(t::global_control::active_value(parameter), workers);
    std::atomic<int> ran{0};
    t::parallel_for(0, 1000, [&](int) { ++ran; });
    EXPECT_EQ(ran, 1000);
  }
}

TEST(global_control, limits_the_calls_after_it) {
  t::global_control const limit(t::global_control::max_allowed_parallelism, 2);
  EXPECT_LE(t::global_control::active_value(t::global_control::max_allowed_parallelism), 2U);
  std::atomic<int> most{-1};
  t::parallel_for(0, 1000, [&](int) {
    int const mine = t::this_task_arena::current_thread_index();
    int seen = most.load();
    while (seen < mine && !most.compare_exchange_weak(seen, mine)) {}
  });
  EXPECT_GE(most.load(), 0);
  EXPECT_LT(most.load(), 2);
  EXPECT_GE(t::info::default_concurrency(), 1);
}

TEST(task_arena, runs_what_it_is_given_on_its_workers) {
  t::task_arena arena(2);
  EXPECT_FALSE(arena.is_active());
  arena.initialize();
  EXPECT_TRUE(arena.is_active());
  EXPECT_EQ(arena.max_concurrency(), 2);
  EXPECT_EQ(arena.execute([] { return t::this_task_arena::max_concurrency(); }), 2);
  long const sum = arena.execute([] {
    return t::parallel_reduce(
        t::blocked_range<long>(0, 1000), 0L,
        [](t::blocked_range<long> const& r, long before) {
          for (long i = r.begin(); i != r.end(); ++i) before += i;
          return before;
        },
        std::plus<long>());
  });
  EXPECT_EQ(sum, 499'500);
  EXPECT_THROW(arena.execute([] { throw std::runtime_error("inside"); }), std::runtime_error);
  arena.terminate();
  EXPECT_FALSE(arena.is_active());
}

TEST(task_arena, an_execute_inside_of_itself_and_of_another_arena_returns) {
  t::task_arena outer(2);
  t::task_arena inner(1, 1);
  int const answer = outer.execute([&] { return outer.execute([&] { return inner.execute([] { return 42; }); }); });
  EXPECT_EQ(answer, 42);
  static_assert(t::task_arena::automatic == -1);
  static_assert(t::task_arena::not_initialized == -2);
}

TEST(task_arena, enqueued_tasks_run_without_being_waited_for) {
  std::promise<int> answer;
  t::task_arena arena(2);
  arena.enqueue([&] { answer.set_value(t::this_task_arena::current_thread_index()); });
  int const index = answer.get_future().get();
  EXPECT_GE(index, 0);
  EXPECT_LT(index, 2);
}

TEST(this_task_arena, a_body_has_a_number_below_the_concurrency_however_many_threads_call) {
  constexpr int callers = 5;
  std::atomic<int> inside{0};
  std::atomic<int> wrong{0};
  auto const looks = [&wrong] {
    int const mine = t::this_task_arena::current_thread_index();
    if (mine < 0 || mine >= t::this_task_arena::max_concurrency()) ++wrong;
    return mine;
  };
  std::vector<std::thread> threads;
  for (int c = 0; c < callers; ++c) {
    threads.emplace_back([&] {
      t::parallel_for(0, 1, [&](int) {  // more bodies at once than the limit above leaves places
        ++inside;
        while (inside.load() < callers) std::this_thread::yield();
        looks();
      });
      // Data per thread of one loop belong to one body at a time.
      std::vector<std::atomic<bool>> taken(static_cast<std::size_t>(t::this_task_arena::max_concurrency()));
      t::parallel_for(0, 2000, [&](int) {
        auto const mine = static_cast<std::size_t>(looks());
        if (mine >= taken.size()) return;
        if (taken[mine].exchange(true)) ++wrong;
        taken[mine].store(false);
      });
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong.load(), 0);
}

TEST(task_arena, an_enqueued_task_may_use_its_arena_while_that_terminates) {
  std::promise<void> begun;
  std::promise<int> ended;
  t::task_arena arena(2);
  arena.enqueue([&] {
    begun.set_value();
    int sum = 0;
    for (int i = 0; i < 500; ++i) {
      sum += arena.max_concurrency();
      std::this_thread::yield();  // so that the other thread comes in between
    }
    ended.set_value(sum);
  });
  begun.get_future().wait();
  arena.terminate();
  EXPECT_EQ(ended.get_future().get(), 1'000);
}

TEST(isolate, returns_the_value_and_runs_loops) {
  std::atomic<int> n{0};
  int const answer = t::this_task_arena::isolate([&] {
    t::parallel_for(0, 100, [&](int) { ++n; });
    return 7;
  });
  EXPECT_EQ(answer, 7);
  EXPECT_EQ(n.load(), 100);
}

TEST(enumerable_thread_specific, has_an_object_per_thread_and_their_sum) {
  t::enumerable_thread_specific<long> sums;
  t::parallel_for(0, 1000, [&](int i) { sums.local() += i; });
  EXPECT_GE(sums.size(), 1U);
  EXPECT_FALSE(sums.empty());
  EXPECT_EQ(sums.combine(std::plus<long>()), 499'500);
  long again = 0;
  for (long const part : sums) again += part;
  EXPECT_EQ(again, 499'500);
  again = 0;
  sums.combine_each([&](long part) { again += part; });
  EXPECT_EQ(again, 499'500);
  sums.clear();
  EXPECT_EQ(sums.size(), 0U);
}

TEST(enumerable_thread_specific, begins_as_told) {
  t::enumerable_thread_specific<int> by_example(5);
  EXPECT_EQ(by_example.local(), 5);
  t::enumerable_thread_specific<std::string> by_function([] { return std::string("made"); });
  bool exists = true;
  EXPECT_EQ(by_function.local(exists), "made");
  EXPECT_FALSE(exists);
  EXPECT_EQ(by_function.local(exists), "made");
  EXPECT_TRUE(exists);
}

TEST(combinable, adds_up_what_threads_have) {
  t::combinable<int> count([] { return 0; });
  t::parallel_for(t::blocked_range<int>(0, 500),
                  [&](t::blocked_range<int> const& r) { count.local() += static_cast<int>(r.size()); });
  EXPECT_EQ(count.combine(std::plus<int>()), 500);
  int sum = 0;
  count.combine_each([&](int part) { sum += part; });
  EXPECT_EQ(sum, 500);
}
