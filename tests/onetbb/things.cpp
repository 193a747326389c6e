// SPDX-License-Identifier: MIT
// What oneTBB has beside loops, groups and arenas: compiled and run against oneTBB and against Skua, as forms.cpp.
#include <gtest/gtest.h>
#include <oneapi/tbb.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace face = oneapi::tbb;

namespace {
constexpr int many = 1000;
}

TEST(enumerable_thread_specific, its_objects_are_a_range_for_loops) {
  using objects = face::enumerable_thread_specific<long>;
  objects sums(0L);
  std::vector<std::thread> others;
  for (int t = 1; t <= 5; ++t) others.emplace_back([&sums, t] { sums.local() = t; });
  for (auto& t : others) t.join();
  ASSERT_EQ(sums.size(), 5U);
  objects::range_type const all = sums.range(2);
  EXPECT_EQ(all.size(), 5U);
  EXPECT_EQ(all.grainsize(), 2U);
  EXPECT_TRUE(all.is_divisible());
  face::parallel_for(sums.range(), [](objects::range_type const& r) {
    for (long& sum : r) sum *= 10;
  });
  objects const& seen = sums;
  long const sum = face::parallel_reduce(
      seen.range(), 0L,
      [](objects::const_range_type const& r, long before) {
        for (auto i = r.begin(); i != r.end(); ++i) before += *i;
        return before;
      },
      [](long a, long b) { return a + b; });
  EXPECT_EQ(sum, 150);
  long again = 0;
  for (auto i = sums.begin(); i != sums.end(); ++i) again += *i;
  EXPECT_EQ(again, 150);
}

TEST(tick_count, gives_times_in_seconds_that_add_up) {
  face::tick_count const before = face::tick_count::now();
  face::tick_count const after = face::tick_count::now();
  EXPECT_GE((after - before).seconds(), 0.0);
  face::tick_count::interval_t sum(0.5);
  sum = sum + face::tick_count::interval_t(0.25);
  EXPECT_DOUBLE_EQ(sum.seconds(), 0.75);
  sum = sum - face::tick_count::interval_t(0.5);
  EXPECT_DOUBLE_EQ(sum.seconds(), 0.25);
  EXPECT_GT(face::tick_count::resolution(), 0.0);
  EXPECT_EQ(face::tick_count::interval_t().seconds(), 0.0);
}

TEST(cache_aligned_allocator, begins_at_a_line) {
  std::vector<char, face::cache_aligned_allocator<char>> letters(3, 'a');
  std::vector<long, face::cache_aligned_allocator<long>> numbers(100, 7);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(letters.data()) % 64, 0U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(numbers.data()) % 64, 0U);
  EXPECT_TRUE(face::cache_aligned_allocator<char>() == face::cache_aligned_allocator<long>());
  auto const moved = std::move(letters);
  EXPECT_EQ(moved.size(), 3U);
}

TEST(collaborative_call_once, calls_once_for_all) {
  face::collaborative_once_flag flag;
  std::atomic<int> calls{0};
  std::atomic<int> parts{0};
  face::parallel_for(0, many, [&](int) {
    face::collaborative_call_once(
        flag,
        [&](int by) {
          ++calls;
          face::parallel_for(0, 100, [&](int) { parts += by; });
        },
        2);
    EXPECT_EQ(parts.load(), 200);
  });
  EXPECT_EQ(calls.load(), 1);
}

TEST(collaborative_call_once, is_tried_again_after_an_exception) {
  face::collaborative_once_flag flag;
  EXPECT_THROW(face::collaborative_call_once(flag, [] { throw std::runtime_error("no"); }), std::runtime_error);
  int calls = 0;
  face::collaborative_call_once(flag, [&] { ++calls; });
  face::collaborative_call_once(flag, [&] { ++calls; });
  EXPECT_EQ(calls, 1);
}

TEST(concurrent_bounded_queue, keeps_order_and_bound) {
  face::concurrent_bounded_queue<int> queue;
  EXPECT_TRUE(queue.empty());
  queue.set_capacity(2);
  EXPECT_EQ(queue.capacity(), 2);
  EXPECT_TRUE(queue.try_push(1));
  queue.push(2);
  EXPECT_FALSE(queue.try_push(3));
  EXPECT_EQ(queue.size(), 2);
  int got = 0;
  queue.pop(got);
  EXPECT_EQ(got, 1);
  EXPECT_TRUE(queue.try_emplace(4));
  EXPECT_TRUE(queue.try_pop(got));
  EXPECT_EQ(got, 2);
  queue.clear();
  EXPECT_FALSE(queue.try_pop(got));
  queue.emplace(5);
  queue.pop(got);
  EXPECT_EQ(got, 5);
}

TEST(concurrent_bounded_queue, threads_wait_for_room_and_for_items) {
  face::concurrent_bounded_queue<int> queue;
  queue.set_capacity(3);
  long sum = 0;
  std::thread consumer([&] {
    for (int i = 0; i < many; ++i) {
      int got = 0;
      queue.pop(got);
      sum += got;
    }
  });
  std::thread producer([&] {
    for (int i = 0; i < many / 2; ++i) queue.push(i);
  });
  for (int i = many / 2; i < many; ++i) queue.push(i);
  producer.join();
  consumer.join();
  EXPECT_EQ(sum, long{many} * (many - 1) / 2);
  EXPECT_TRUE(queue.empty());
}

TEST(concurrent_bounded_queue, abort_ends_waits) {
  face::concurrent_bounded_queue<int> queue;
  std::thread waiting([&] {
    int got = 0;
    EXPECT_THROW(queue.pop(got), face::user_abort);
  });
  while (queue.size() != -1) std::this_thread::yield();
  queue.abort();
  waiting.join();
  queue.push(1);
  EXPECT_EQ(queue.size(), 1);
}

TEST(task_scheduler_handle, waits_until_nothing_is_left) {
  face::task_scheduler_handle none;
  EXPECT_FALSE(static_cast<bool>(none));
  face::task_scheduler_handle handle{face::attach{}};
  EXPECT_TRUE(static_cast<bool>(handle));
  std::atomic<int> ran{0};
  face::parallel_for(0, many, [&](int) { ++ran; });
  EXPECT_EQ(ran.load(), many);
  face::task_scheduler_handle moved(std::move(handle));
  EXPECT_FALSE(static_cast<bool>(handle));  // NOLINT(bugprone-use-after-move): it is empty
  static_cast<void>(face::finalize(moved, std::nothrow));
  EXPECT_FALSE(static_cast<bool>(moved));
  face::task_scheduler_handle in_a_task{face::attach{}};
  bool done = true;
  face::parallel_for(0, 1, [&](int) { done = face::finalize(in_a_task, std::nothrow); });
  EXPECT_FALSE(done);
}

TEST(task_arena, takes_constraints_and_priorities) {
  std::atomic<int> sum{0};
  for (face::numa_node_id const id : face::info::numa_nodes()) {
    EXPECT_GE(face::info::default_concurrency(id), 1);
    face::task_arena on_node(face::task_arena::constraints{}.set_numa_id(id));
    on_node.execute([&] { face::parallel_for(0, 10, [&](int) { ++sum; }); });
    EXPECT_EQ(on_node.max_concurrency(), face::info::default_concurrency(id));
  }
  EXPECT_EQ(sum.load(), 10 * static_cast<int>(face::info::numa_nodes().size()));
  face::task_arena of_two(face::task_arena::constraints{}.set_max_concurrency(2), 1, face::task_arena::priority::low);
  EXPECT_EQ(of_two.max_concurrency(), 2);
  face::task_arena important(2, 1, face::task_arena::priority::high);
  EXPECT_EQ(important.execute([] { return 7; }), 7);
  face::task_arena same(of_two);
  EXPECT_FALSE(same.is_active());
  EXPECT_EQ(same.max_concurrency(), 2);
  face::task_arena later;
  later.initialize(face::task_arena::constraints{}.set_max_concurrency(3));
  EXPECT_EQ(later.max_concurrency(), 3);
}

TEST(task_arena, attaches_to_the_one_around) {
  face::task_arena three(3);
  std::atomic<bool> ran{false};
  three.execute([&] {
    face::task_arena around{face::task_arena::attach{}};
    EXPECT_TRUE(around.is_active());
    EXPECT_EQ(around.max_concurrency(), 3);
    EXPECT_EQ(around.execute([] { return face::this_task_arena::max_concurrency(); }), 3);
    around.enqueue([&ran] { ran = true; });
  });
  while (!ran.load()) std::this_thread::yield();
}
