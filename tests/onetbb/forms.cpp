// SPDX-License-Identifier: MIT
// The call forms of oneTBB that programs may keep. This file is compiled and run twice, against oneTBB and against Skua:
// so what stands here does compile unchanged, and means the same. docs/from-onetbb.md lists it, and what is missing.
#include <gtest/gtest.h>
#include <oneapi/tbb.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <forward_list>
#include <functional>
#include <list>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace face = oneapi::tbb;

namespace {

constexpr int n = 1000;

/// How often each index was visited.
class visits {
 public:
  void operator()(int i) const { ++counts_[static_cast<std::size_t>(i)]; }
  template <class Piece>
  void all_of(Piece const& r) const {
    for (auto i = r.begin(); i != r.end(); ++i) (*this)(static_cast<int>(i));
  }
  [[nodiscard]] bool once(int first = 0, int last = n, int step = 1) const {
    for (int i = 0; i < n; ++i) {
      bool const expected = i >= first && i < last && (i - first) % step == 0;
      if (counts_[static_cast<std::size_t>(i)].load() != (expected ? 1 : 0)) return false;
    }
    return true;
  }

 private:
  mutable std::vector<std::atomic<int>> counts_ = std::vector<std::atomic<int>>(n);
};

using range = face::blocked_range<int>;

/// A body with state, as the imperative forms want it.
struct sum_body {
  long sum = 0;
  sum_body() = default;
  sum_body(sum_body&, face::split) {}
  void operator()(range const& r) {
    for (int i = r.begin(); i != r.end(); ++i) sum += i;
  }
  void join(sum_body const& right) { sum += right.sum; }
};

long sum_piece(range const& r, long before) {
  for (int i = r.begin(); i != r.end(); ++i) before += i;
  return before;
}

/// A range of a user's, divisible by halves.
struct letters {
  std::size_t first;
  std::size_t last;
  letters(std::size_t f, std::size_t l) : first(f), last(l) {}
  letters(letters& r, face::split) : first((r.first + r.last) / 2), last(r.last) { r.last = first; }
  [[nodiscard]] bool empty() const { return first == last; }
  [[nodiscard]] bool is_divisible() const { return last - first > 1; }
};

}  // namespace

TEST(parallel_for, takes_indices_with_every_partitioner) {
  visits a;
  face::parallel_for(0, n, a);
  EXPECT_TRUE(a.once());
  visits b;
  face::parallel_for(3, n, 7, b);
  EXPECT_TRUE(b.once(3, n, 7));
  visits c;
  face::parallel_for(0, n, c, face::simple_partitioner());
  EXPECT_TRUE(c.once());
  visits d;
  face::parallel_for(0, n, d, face::static_partitioner());
  EXPECT_TRUE(d.once());
  visits e;
  face::parallel_for(0, n, e, face::auto_partitioner());
  EXPECT_TRUE(e.once());
  face::affinity_partitioner again;
  for (int round = 0; round < 3; ++round) {
    visits f;
    face::parallel_for(0, n, f, again);
    EXPECT_TRUE(f.once());
  }
  visits g;
  face::parallel_for(0, n, 2, g, face::simple_partitioner());
  EXPECT_TRUE(g.once(0, n, 2));
  face::task_group_context context;
  visits h;
  face::parallel_for(0, n, h, face::auto_partitioner(), context);
  EXPECT_TRUE(h.once());
  visits k;
  face::parallel_for(0, n, k, context);
  EXPECT_TRUE(k.once());
  face::task_group_context alone(face::task_group_context::isolated);
  visits l;
  face::parallel_for(0, n, l, alone);
  EXPECT_TRUE(l.once());
}

TEST(parallel_for, takes_ranges_of_every_dimension_and_of_a_user) {
  visits a;
  face::parallel_for(range(0, n), [&](range const& r) { a.all_of(r); });
  EXPECT_TRUE(a.once());
  visits b;
  face::parallel_for(
      range(0, n, 10),
      [&](range const& r) {
        EXPECT_LE(r.size(), 10U);
        b.all_of(r);
      },
      face::simple_partitioner());
  EXPECT_TRUE(b.once());
  std::atomic<int> cells{0};
  face::parallel_for(face::blocked_range2d<int>(0, 20, 4, 0, 30, 5), [&](face::blocked_range2d<int> const& r) {
    cells += static_cast<int>(r.rows().size() * r.cols().size());
  });
  EXPECT_EQ(cells.load(), 600);
  std::atomic<int> boxes{0};
  face::parallel_for(face::blocked_range3d<int>(0, 5, 0, 6, 0, 7), [&](face::blocked_range3d<int> const& r) {
    boxes += static_cast<int>(r.pages().size() * r.rows().size() * r.cols().size());
  });
  EXPECT_EQ(boxes.load(), 210);
  std::atomic<std::size_t> length{0};
  face::parallel_for(letters(0, 26), [&](letters const& r) { length += r.last - r.first; });
  EXPECT_EQ(length.load(), 26U);
  visits c;
  parallel_for(range(0, n), [&](range const& r) { c.all_of(r); });  // found by its argument
  EXPECT_TRUE(c.once());
  EXPECT_EQ(parallel_reduce(range(0, n), 0L, sum_piece, std::plus<long>()), long{n} * (n - 1) / 2);
  std::vector<int> v(n);
  face::parallel_for(
      face::blocked_range<std::vector<int>::iterator>(v.begin(), v.end()),
      [](face::blocked_range<std::vector<int>::iterator> const& r) { std::fill(r.begin(), r.end(), 4); });
  EXPECT_EQ(std::accumulate(v.begin(), v.end(), 0), 4 * n);
}

TEST(parallel_reduce, takes_functions_or_a_body) {
  long const right = long{n} * (n - 1) / 2;
  EXPECT_EQ(face::parallel_reduce(range(0, n), 0L, sum_piece, std::plus<long>()), right);
  EXPECT_EQ(face::parallel_reduce(range(0, n), 0L, sum_piece, std::plus<long>(), face::simple_partitioner()), right);
  EXPECT_EQ(face::parallel_reduce(range(0, n), 0L, sum_piece, std::plus<long>(), face::static_partitioner()), right);
  face::affinity_partitioner again;
  EXPECT_EQ(face::parallel_reduce(range(0, n), 0L, sum_piece, std::plus<long>(), again), right);
  face::task_group_context context;
  EXPECT_EQ(face::parallel_reduce(range(0, n), 0L, sum_piece, std::plus<long>(), context), right);
  sum_body body;
  face::parallel_reduce(range(0, n), body);
  EXPECT_EQ(body.sum, right);
  sum_body other;
  face::parallel_reduce(range(0, n), other, face::auto_partitioner(), context);
  EXPECT_EQ(other.sum, right);
  EXPECT_EQ(face::parallel_deterministic_reduce(range(0, n, 16), 0L, sum_piece, std::plus<long>()), right);
  sum_body third;
  face::parallel_deterministic_reduce(range(0, n, 16), third, face::simple_partitioner());
  EXPECT_EQ(third.sum, right);
  EXPECT_EQ(face::parallel_deterministic_reduce(range(0, n), 0L, sum_piece, std::plus<long>(),
                                                face::static_partitioner(), context),
            right);
}

TEST(parallel_scan, returns_and_stores_the_sums) {
  std::vector<long> sums(n);
  long const total = face::parallel_scan(
      range(0, n), 0L,
      [&](range const& r, long before, bool is_final) {
        for (int i = r.begin(); i != r.end(); ++i) {
          before += i;
          if (is_final) sums[static_cast<std::size_t>(i)] = before;
        }
        return before;
      },
      std::plus<long>());
  EXPECT_EQ(total, long{n} * (n - 1) / 2);
  for (std::size_t i = 0; i < sums.size(); ++i) EXPECT_EQ(sums[i], static_cast<long>(i * (i + 1) / 2));
}

TEST(parallel_sort, iterators_containers_and_orders) {
  std::vector<int> v(n);
  for (int i = 0; i < n; ++i) v[static_cast<std::size_t>(i)] = i * 7919 % n;
  std::vector<int> w = v;
  face::parallel_sort(v.begin(), v.end());
  EXPECT_TRUE(std::is_sorted(v.begin(), v.end()));
  face::parallel_sort(w.begin(), w.end(), std::greater<int>());
  EXPECT_TRUE(std::is_sorted(w.rbegin(), w.rend()));
  face::parallel_sort(w);
  EXPECT_EQ(v, w);
  face::parallel_sort(w, std::greater<int>());
  EXPECT_TRUE(std::is_sorted(w.rbegin(), w.rend()));
}

TEST(parallel_for_each, iterators_containers_and_feeders) {
  std::list<int> numbers(n);
  std::iota(numbers.begin(), numbers.end(), 0);
  visits a;
  face::parallel_for_each(numbers.begin(), numbers.end(), [&](int const& i) { a(i); });
  EXPECT_TRUE(a.once());
  visits b;
  face::parallel_for_each(numbers, [&](int i) { b(i); });
  EXPECT_TRUE(b.once());
  std::vector<int> v(n, 1);
  face::parallel_for_each(v, [](int& x) { x += 2; });
  EXPECT_EQ(std::accumulate(v.begin(), v.end(), 0), 3 * n);
  std::forward_list<int> const constant{1, 2, 3};
  std::atomic<int> sum{0};
  face::parallel_for_each(constant.begin(), constant.end(), [&](int i) { sum += i; });
  EXPECT_EQ(sum.load(), 6);
  visits c;
  std::vector<int> const roots{0};
  face::parallel_for_each(roots.begin(), roots.end(), [&](int i, face::feeder<int>& more) {
    c(i);
    if (2 * i + 1 < n) more.add(2 * i + 1);
    if (2 * i + 2 < n) more.add(2 * i + 2);
  });
  EXPECT_TRUE(c.once());
}

TEST(parallel_invoke, two_to_ten_functions) {
  std::atomic<int> sum{0};
  auto const add = [&](int x) { return [&sum, x] { sum += x; }; };
  face::parallel_invoke(add(1), add(2));
  face::parallel_invoke(add(1), add(2), add(3), add(4), add(5), add(6), add(7), add(8), add(9), add(10));
  face::task_group_context context;
  face::parallel_invoke(add(1), add(1), context);
  EXPECT_EQ(sum.load(), 3 + 55 + 2);
}

TEST(task_group, run_wait_defer_cancel) {
  std::atomic<int> sum{0};
  face::task_group g;
  for (int i = 0; i < n; ++i) g.run([&sum] { ++sum; });
  EXPECT_EQ(g.wait(), face::task_group_status::complete);
  EXPECT_EQ(g.run_and_wait([&sum] { ++sum; }), face::task_group_status::complete);
  face::task_handle later = g.defer([&sum] { ++sum; });
  EXPECT_TRUE(static_cast<bool>(later));
  g.run(std::move(later));
  g.wait();
  EXPECT_EQ(sum.load(), n + 2);
  auto const status = g.run_and_wait([&] { g.cancel(); });
  EXPECT_EQ(status, face::task_group_status::canceled);
  g.run([&sum] { ++sum; });
  EXPECT_EQ(g.wait(), face::complete);
  EXPECT_EQ(sum.load(), n + 3);
}

TEST(task_group, tasks_start_tasks_and_groups_nest) {
  struct fib {
    static long of(int k) {
      if (k < 2) return k;
      long a = 0;
      long b = 0;
      face::task_group g;
      g.run([&a, k] { a = of(k - 1); });
      g.run([&b, k] { b = of(k - 2); });
      g.wait();
      return a + b;
    }
  };
  EXPECT_EQ(fib::of(16), 987);
  face::task_group flat;
  std::atomic<int> sum{0};
  flat.run([&] {
    for (int i = 0; i < 10; ++i) flat.run([&] { ++sum; });
  });
  flat.wait();
  EXPECT_EQ(sum.load(), 10);
}

TEST(exceptions, are_thrown_by_the_call_or_by_wait) {
  EXPECT_THROW(face::parallel_for(0, n,
                                  [](int i) {
                                    if (i == 500) throw std::runtime_error("500");
                                  }),
               std::runtime_error);
  EXPECT_THROW(
      static_cast<void>(face::parallel_reduce(
          range(0, n), 0L, [](range const&, long) -> long { throw std::out_of_range("no"); }, std::plus<long>())),
      std::out_of_range);
  face::task_group g;
  g.run([] { throw std::logic_error("task"); });
  EXPECT_THROW(g.wait(), std::logic_error);
  EXPECT_EQ(g.wait(), face::complete);
}

TEST(cancellation, by_context_from_the_body) {
  face::task_group_context context;
  std::atomic<int> ran{0};
  face::parallel_for(
      0, 1'000'000,
      [&](int) {
        ++ran;
        context.cancel_group_execution();
      },
      context);
  EXPECT_TRUE(context.is_group_execution_cancelled());
  EXPECT_LT(ran.load(), 1'000'000);
  context.reset();
  EXPECT_FALSE(context.is_group_execution_cancelled());
}

TEST(cancellation, is_seen_by_a_running_task) {
  face::task_group g;
  std::atomic<bool> began{false};
  g.run([&] {
    began = true;
    while (!face::is_current_task_group_canceling()) std::this_thread::yield();
  });
  while (!began.load()) std::this_thread::yield();
  g.cancel();
  EXPECT_EQ(g.wait(), face::canceled);
}
