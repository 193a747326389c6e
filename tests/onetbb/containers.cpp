// SPDX-License-Identifier: MIT
// oneTBB's containers and allocators, and each header by its own name; compiled and run against oneTBB and against Skua, as forms.cpp.
#include <gtest/gtest.h>
#include <oneapi/tbb.h>
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/blocked_range2d.h>
#include <oneapi/tbb/blocked_range3d.h>
#include <oneapi/tbb/blocked_rangeNd.h>
#include <oneapi/tbb/cache_aligned_allocator.h>
#include <oneapi/tbb/collaborative_call_once.h>
#include <oneapi/tbb/combinable.h>
#include <oneapi/tbb/concurrent_hash_map.h>
#include <oneapi/tbb/concurrent_map.h>
#include <oneapi/tbb/concurrent_priority_queue.h>
#include <oneapi/tbb/concurrent_queue.h>
#include <oneapi/tbb/concurrent_set.h>
#include <oneapi/tbb/concurrent_unordered_map.h>
#include <oneapi/tbb/concurrent_unordered_set.h>
#include <oneapi/tbb/concurrent_vector.h>
#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/mutex.h>
#include <oneapi/tbb/null_mutex.h>
#include <oneapi/tbb/null_rw_mutex.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_for_each.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/parallel_scan.h>
#include <oneapi/tbb/parallel_sort.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/queuing_mutex.h>
#include <oneapi/tbb/queuing_rw_mutex.h>
#include <oneapi/tbb/rw_mutex.h>
#include <oneapi/tbb/scalable_allocator.h>
#include <oneapi/tbb/spin_mutex.h>
#include <oneapi/tbb/spin_rw_mutex.h>
#include <oneapi/tbb/task.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <oneapi/tbb/task_scheduler_observer.h>
#include <oneapi/tbb/tbb_allocator.h>
#include <oneapi/tbb/tick_count.h>
#include <oneapi/tbb/version.h>
#include <tbb/blocked_range.h>
#include <tbb/blocked_range2d.h>
#include <tbb/blocked_range3d.h>
#include <tbb/blocked_rangeNd.h>
#include <tbb/cache_aligned_allocator.h>
#include <tbb/collaborative_call_once.h>
#include <tbb/combinable.h>
#include <tbb/concurrent_hash_map.h>
#include <tbb/concurrent_map.h>
#include <tbb/concurrent_priority_queue.h>
#include <tbb/concurrent_queue.h>
#include <tbb/concurrent_set.h>
#include <tbb/concurrent_unordered_map.h>
#include <tbb/concurrent_unordered_set.h>
#include <tbb/concurrent_vector.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/null_mutex.h>
#include <tbb/null_rw_mutex.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_for_each.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>
#include <tbb/parallel_sort.h>
#include <tbb/partitioner.h>
#include <tbb/queuing_mutex.h>
#include <tbb/queuing_rw_mutex.h>
#include <tbb/scalable_allocator.h>
#include <tbb/spin_mutex.h>
#include <tbb/spin_rw_mutex.h>
#include <tbb/task.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <tbb/task_scheduler_observer.h>
#include <tbb/tbb.h>
#include <tbb/tbb_allocator.h>
#include <tbb/tick_count.h>
#include <tbb/version.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr int items = 2000;

TEST(concurrent_vector, grows_while_its_elements_stay) {
  tbb::concurrent_vector<int> v;
  v.push_back(-1);
  int const* const first = &v[0];
  tbb::parallel_for(0, items, [&](int i) {
    auto const at = v.push_back(i);
    EXPECT_EQ(*at, i);
  });
  EXPECT_EQ(v.size(), items + 1U);
  EXPECT_EQ(first, &v.front());
  std::vector<int> sorted(v.begin(), v.end());
  std::sort(sorted.begin(), sorted.end());
  for (int i = -1; i < items; ++i) EXPECT_EQ(sorted[static_cast<std::size_t>(i + 1)], i);
  EXPECT_GE(v.capacity(), v.size());
  EXPECT_THROW(static_cast<void>(v.at(v.size())), std::out_of_range);
  long sum = tbb::parallel_reduce(
      v.range(100), 0L, [](auto const& r, long before) { return std::accumulate(r.begin(), r.end(), before); },
      std::plus<long>());
  EXPECT_EQ(sum, long{items} * (items - 1) / 2 - 1);
}

TEST(concurrent_vector, has_the_forms_of_a_vector) {
  tbb::concurrent_vector<std::string> a(3, "x");
  auto at = a.grow_by(2, std::string("y"));
  EXPECT_EQ(at - a.begin(), 3);
  EXPECT_EQ(*at, "y");
  a.emplace_back(2U, 'z');
  EXPECT_EQ(a.back(), "zz");
  a.grow_to_at_least(10);
  EXPECT_EQ(a.size(), 10U);
  EXPECT_EQ(a[9], "");
  a.grow_to_at_least(4);
  EXPECT_EQ(a.size(), 10U);
  tbb::concurrent_vector<std::string> b(a);
  EXPECT_TRUE(a == b);
  b.resize(2);
  EXPECT_EQ(b.size(), 2U);
  EXPECT_FALSE(a == b);
  swap(a, b);
  EXPECT_EQ(a.size(), 2U);
  tbb::concurrent_vector<std::string> c(std::move(b));
  EXPECT_EQ(c.size(), 10U);
  c.assign({"1", "2", "3"});
  EXPECT_EQ(c.rbegin()[1], "2");
  std::sort(c.begin(), c.end(), std::greater<std::string>());
  EXPECT_EQ(c[0], "3");
  c.clear();
  EXPECT_TRUE(c.empty());
  c.reserve(100);
  EXPECT_GE(c.capacity(), 100U);
  tbb::concurrent_vector<std::string> const d{"p", "q"};
  EXPECT_EQ(d.cbegin()[1], "q");
}

TEST(concurrent_queue, gives_each_item_once) {
  tbb::concurrent_queue<int> queue;
  std::atomic<long> sum{0};
  tbb::parallel_for(0, items, [&](int i) {
    queue.push(i);
    int got = 0;
    if (queue.try_pop(got)) sum += got;
  });
  for (int got = 0; queue.try_pop(got);) sum += got;
  EXPECT_EQ(sum.load(), long{items} * (items - 1) / 2);
  EXPECT_TRUE(queue.empty());
  queue.emplace(1);
  queue.emplace(2);
  EXPECT_EQ(queue.unsafe_size(), 2U);
  tbb::concurrent_queue<int> const copy(queue);
  EXPECT_EQ(*copy.unsafe_begin(), 1);
  int got = 0;
  EXPECT_TRUE(queue.try_pop(got));
  EXPECT_EQ(got, 1);
  queue.clear();
  EXPECT_FALSE(queue.try_pop(got));
}

TEST(concurrent_priority_queue, gives_the_greatest_first) {
  tbb::concurrent_priority_queue<int> queue;
  tbb::parallel_for(0, items, [&](int i) { queue.push(i); });
  EXPECT_EQ(queue.size(), static_cast<std::size_t>(items));
  int got = 0;
  for (int i = items - 1; i >= 0; --i) {
    ASSERT_TRUE(queue.try_pop(got));
    ASSERT_EQ(got, i);
  }
  EXPECT_TRUE(queue.empty());
  tbb::concurrent_priority_queue<int, std::greater<int>> least({3, 1, 2});
  least.emplace(0);
  EXPECT_TRUE(least.try_pop(got));
  EXPECT_EQ(got, 0);
}

TEST(concurrent_hash_map, locks_an_element_for_its_accessor) {
  using table = tbb::concurrent_hash_map<int, long>;
  table counts;
  tbb::parallel_for(0, items, [&](int i) {
    table::accessor a;
    counts.insert(a, i % 10);
    a->second += i;
  });
  EXPECT_EQ(counts.size(), 10U);
  long sum = 0;
  for (auto const& [key, value] : counts) sum += value;
  EXPECT_EQ(sum, long{items} * (items - 1) / 2);
  table::const_accessor c;
  EXPECT_TRUE(counts.find(c, 3));
  EXPECT_EQ(c->first, 3);
  EXPECT_FALSE(c.empty());
  c.release();
  EXPECT_TRUE(c.empty());
  EXPECT_FALSE(counts.find(c, 11));
  EXPECT_EQ(counts.count(3), 1U);
  EXPECT_TRUE(counts.erase(3));
  EXPECT_FALSE(counts.erase(3));
  table::accessor a;
  ASSERT_TRUE(counts.find(a, 4));
  EXPECT_TRUE(counts.erase(a));
  EXPECT_EQ(counts.count(4), 0U);
  EXPECT_TRUE(counts.insert({4, 44L}));
  EXPECT_FALSE(counts.insert({4, 45L}));
  EXPECT_TRUE(counts.emplace(5000, 1L));
  EXPECT_EQ(counts.size(), 10U);
}

TEST(concurrent_hash_map, threads_insert_and_erase_the_same_keys) {
  struct compare {
    [[nodiscard]] static std::size_t hash(std::string const& s) { return s.size(); }
    [[nodiscard]] static bool equal(std::string const& a, std::string const& b) { return a == b; }
  };
  using table = tbb::concurrent_hash_map<std::string, std::vector<int>, compare>;
  table lists;
  std::atomic<int> made{0};
  std::atomic<int> gone{0};
  tbb::parallel_for(0, items, [&](int i) {
    std::string const key(static_cast<std::size_t>(i % 7), 'k');
    {
      table::accessor a;
      if (lists.insert(a, key)) ++made;
      a->second.push_back(i);
    }
    if (i % 3 == 0) {
      if (lists.erase(key)) ++gone;
    } else if (i % 3 == 1) {
      table::accessor a;
      if (lists.find(a, key) && lists.erase(a)) ++gone;
    }
  });
  EXPECT_EQ(made.load() - gone.load(), static_cast<int>(lists.size()));
  table copy(lists);
  EXPECT_EQ(copy.size(), lists.size());
  lists.clear();
  EXPECT_TRUE(lists.empty());
}

TEST(concurrent_unordered_map, is_read_and_iterated_while_it_grows) {
  tbb::concurrent_unordered_map<int, int> squares;
  std::atomic<int> wrong{0};
  tbb::parallel_for(0, items, [&](int i) {
    squares[i] = i * i;
    auto const found = squares.find(i);
    if (found == squares.end() || found->second != i * i) ++wrong;
    int seen = 0;
    for (auto at = squares.begin(); at != squares.end() && seen < 10; ++at) ++seen;
    if (seen == 0) ++wrong;
  });
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_EQ(squares.size(), static_cast<std::size_t>(items));
  std::map<int, int> const sorted(squares.begin(), squares.end());
  EXPECT_EQ(sorted.size(), static_cast<std::size_t>(items));
  EXPECT_FALSE(squares.insert({3, 0}).second);
  EXPECT_TRUE(squares.emplace(-1, 1).second);
  EXPECT_EQ(squares.at(-1), 1);
  EXPECT_THROW(static_cast<void>(squares.at(-2)), std::out_of_range);
  EXPECT_EQ(squares.unsafe_erase(-1), 1U);
  EXPECT_EQ(squares.count(-1), 0U);
  long sum = 0;
  tbb::parallel_for(squares.range(), [](auto const& r) {
    for (auto at = r.begin(); at != r.end(); ++at) at->second += 1;
  });
  for (auto const& [key, value] : squares) sum += value - key * key;
  EXPECT_EQ(sum, items);
}

TEST(concurrent_unordered_set, holds_each_value_once) {
  tbb::concurrent_unordered_set<std::string> words;
  std::atomic<int> made{0};
  tbb::parallel_for(0, items, [&](int i) {
    if (words.insert(std::to_string(i % 50)).second) ++made;
  });
  EXPECT_EQ(made.load(), 50);
  EXPECT_EQ(words.size(), 50U);
  EXPECT_TRUE(words.contains("7"));
  tbb::concurrent_unordered_set<std::string> const copy(words);
  EXPECT_EQ(std::set<std::string>(copy.begin(), copy.end()).size(), 50U);
  words.unsafe_erase(words.begin());
  EXPECT_EQ(words.size(), 49U);
  words.clear();
  EXPECT_TRUE(words.begin() == words.end());
}

TEST(allocators, give_memory_to_containers) {
  std::vector<int, tbb::tbb_allocator<int>> a(100, 1);
  std::vector<int, tbb::scalable_allocator<int>> b(100, 2);
  EXPECT_EQ(std::accumulate(a.begin(), a.end(), 0) + std::accumulate(b.begin(), b.end(), 0), 300);
  void* const p = scalable_malloc(10);
  ASSERT_NE(p, nullptr);
  EXPECT_GE(scalable_msize(p), 10U);
  scalable_free(scalable_realloc(p, 100));
  void* const aligned = scalable_aligned_malloc(10, 256);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(aligned) % 256, 0U);
  scalable_aligned_free(aligned);
}

}  // namespace
