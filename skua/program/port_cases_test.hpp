// SPDX-License-Identifier: MIT
// Code as a user of oneTBB writes it, with the namespace called `api`. Two programs include it, one with
// `namespace api = tbb`, one with Skua's interface: together they show "ports by changing the namespace".
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <list>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

TEST(port, parallel_for_over_indices) {
  for (int n : {0, 1, 2, 17, 1000}) {
    std::vector<int> seen(static_cast<std::size_t>(n), 0);
    api::parallel_for(0, n, [&](int i) { ++seen[static_cast<std::size_t>(i)]; });
    api::parallel_for(std::size_t{0}, seen.size(), [&](std::size_t i) { ++seen[i]; }, api::simple_partitioner());
    api::parallel_for<std::size_t>(0, seen.size(), [&](std::size_t i) { ++seen[i]; });
    EXPECT_EQ(seen, std::vector<int>(static_cast<std::size_t>(n), 3));
  }
}

TEST(port, parallel_for_with_a_step) {
  std::vector<int> seen(100, 0);
  api::parallel_for(3, 100, 7, [&](int i) { ++seen[static_cast<std::size_t>(i)]; });
  for (int i = 0; i < 100; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], i >= 3 && (i - 3) % 7 == 0 ? 1 : 0);
  EXPECT_THROW(api::parallel_for(0, 10, 0, [](int) {}), std::invalid_argument);
  api::parallel_for(10, 0, 3, [](int) { FAIL(); });
}

struct increment {
  std::vector<int>& data;
  void operator()(api::blocked_range<std::size_t> const& r) const {
    for (std::size_t i = r.begin(); i != r.end(); ++i) ++data[i];
  }
};

TEST(port, parallel_for_over_blocked_ranges_and_partitioners) {
  std::vector<int> data(1003, 0);
  api::affinity_partitioner affinity;
  api::parallel_for(api::blocked_range<std::size_t>(0, data.size()), increment{data});
  api::parallel_for(api::blocked_range<std::size_t>(0, data.size(), 10), increment{data}, api::simple_partitioner());
  api::parallel_for(api::blocked_range<std::size_t>(0, data.size(), 10), increment{data}, api::auto_partitioner());
  api::parallel_for(api::blocked_range<std::size_t>(0, data.size(), 10), increment{data}, api::static_partitioner());
  api::parallel_for(api::blocked_range<std::size_t>(0, data.size(), 10), increment{data}, affinity);
  api::parallel_for(api::blocked_range<std::vector<int>::iterator>(data.begin(), data.end()), [](auto const& r) {
    for (int& x : r) ++x;
  });
  EXPECT_EQ(data, std::vector<int>(1003, 6));
}

TEST(port, simple_partitioner_respects_the_grain) {
  std::atomic<std::size_t> largest{0};
  std::atomic<std::size_t> smallest{1000};
  api::parallel_for(
      api::blocked_range<int>(0, 1000, 10),
      [&](api::blocked_range<int> const& r) {
        for (std::size_t s = largest; s < r.size() && !largest.compare_exchange_weak(s, r.size());) {}
        for (std::size_t s = smallest; s > r.size() && !smallest.compare_exchange_weak(s, r.size());) {}
      },
      api::simple_partitioner());
  EXPECT_LE(largest.load(), 10U);
  EXPECT_GE(smallest.load(), 5U);
}

TEST(port, a_two_dimensional_range_covers_every_cell_once) {
  std::vector<std::vector<int>> table(31, std::vector<int>(57, 0));
  api::parallel_for(api::blocked_range2d<int>(0, 31, 4, 0, 57, 8), [&](api::blocked_range2d<int> const& r) {
    for (int i = r.rows().begin(); i != r.rows().end(); ++i) {
      for (int j = r.cols().begin(); j != r.cols().end(); ++j) {
        ++table[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
      }
    }
  });
  EXPECT_EQ(table, std::vector<std::vector<int>>(31, std::vector<int>(57, 1)));
}

TEST(port, a_three_dimensional_range_covers_every_cell_once) {
  std::vector<std::atomic<int>> box(7 * 9 * 11);
  auto count = [&](api::blocked_range3d<int> const& r) {
    for (int p = r.pages().begin(); p != r.pages().end(); ++p) {
      for (int i = r.rows().begin(); i != r.rows().end(); ++i) {
        for (int j = r.cols().begin(); j != r.cols().end(); ++j) ++box[static_cast<std::size_t>((p * 9 + i) * 11 + j)];
      }
    }
  };
  api::parallel_for(api::blocked_range3d<int>(0, 7, 0, 9, 0, 11), count);
  api::parallel_for(api::blocked_range3d<int>(0, 7, 2, 0, 9, 3, 0, 11, 4), count, api::simple_partitioner());
  for (auto const& cell : box) EXPECT_EQ(cell, 2);
}

/// A user's range that divides in any proportion.
struct slice {
  int begin;
  int end;
  slice(int b, int e) : begin(b), end(e) {}
  slice(slice& r, api::split) : slice(r, (r.begin + r.end) / 2, r.end) {}
  slice(slice& r, api::proportional_split& p)
      : slice(r, r.end - share(r.end - r.begin, static_cast<int>(p.left()), static_cast<int>(p.right())), r.end) {}
  bool empty() const { return begin >= end; }
  bool is_divisible() const { return end - begin > 1; }

 private:
  slice(slice& r, int b, int e) : begin(b), end(e) { r.end = b; }
  static int share(int n, int left, int right) { return std::clamp(n * right / (left + right), 1, n - 1); }
};

TEST(port, ranges_may_divide_in_proportion) {
  std::vector<int> seen(1003, 0);
  auto count = [&](slice const& r) {
    for (int i = r.begin; i != r.end; ++i) ++seen[static_cast<std::size_t>(i)];
  };
  api::parallel_for(slice(0, 1003), count);
  api::parallel_for(slice(0, 1003), count, api::simple_partitioner());
  api::parallel_for(slice(0, 1003), count, api::static_partitioner());
  EXPECT_EQ(seen, std::vector<int>(1003, 3));
  auto sum = [](slice const& r, long so_far) {
    for (int i = r.begin; i != r.end; ++i) so_far += i;
    return so_far;
  };
  EXPECT_EQ(api::parallel_reduce(slice(0, 1001), 0L, sum, std::plus<long>()), 500500L);
}

TEST(port, a_cancelled_context_ends_the_loop_and_the_call_returns) {
  api::task_group_context context;
  EXPECT_FALSE(context.is_group_execution_cancelled());
  std::atomic<int> calls{0};
  auto body = [&](int) {
    ++calls;
    context.cancel_group_execution();
  };
  api::parallel_for(0, 1'000'000, body, context);
  EXPECT_TRUE(context.is_group_execution_cancelled());
  EXPECT_FALSE(context.cancel_group_execution()) << "somebody else did";
  EXPECT_LT(calls, 1'000'000);
  int const before = calls;
  api::parallel_for(0, 100, body, api::simple_partitioner(), context);
  api::parallel_for(0, 100, 2, body, context);
  api::parallel_for(api::blocked_range<int>(0, 100), [&](auto const&) { ++calls; }, context);
  api::parallel_for_each(std::vector<int>(100), body, context);
  api::parallel_invoke([&] { ++calls; }, [&] { ++calls; }, context);
  EXPECT_EQ(calls, before) << "a cancelled context stays so";
  context.reset();
  EXPECT_FALSE(context.is_group_execution_cancelled());
  api::parallel_for(0, 100, [&](int) { ++calls; }, context);
  api::parallel_invoke([&] { ++calls; }, [&] { ++calls; }, context);
  EXPECT_EQ(calls, before + 102);
  EXPECT_EQ(api::parallel_reduce(
                api::blocked_range<int>(0, 10), 0,
                [](api::blocked_range<int> const& r, int n) { return n + static_cast<int>(r.size()); },
                std::plus<int>(), context),
            10);
}

TEST(port, an_exception_cancels_the_context) {
  api::task_group_context context;
  EXPECT_THROW(api::parallel_for(
                   0, 1000,
                   [](int i) {
                     if (i == 500) throw std::runtime_error("500");
                   },
                   context),
               std::runtime_error);
  EXPECT_TRUE(context.is_group_execution_cancelled());
  context.reset();
}

TEST(port, cancelling_an_outer_loop_ends_the_loops_in_it) {
  api::task_group_context outer;
  std::atomic<int> calls{0};
  api::parallel_for(
      0, 4,
      [&](int) {
        api::parallel_for(0, 1'000'000, [&](int) {
          ++calls;
          outer.cancel_group_execution();
        });
      },
      outer);
  EXPECT_TRUE(outer.is_group_execution_cancelled());
  EXPECT_LT(calls, 4'000'000);
  outer.reset();
  api::parallel_for(
      0, 1,
      [&](int) {
        EXPECT_FALSE(api::is_current_task_group_canceling());
        outer.cancel_group_execution();
        EXPECT_TRUE(api::is_current_task_group_canceling());
      },
      outer);
}

TEST(port, parallel_for_each_visits_every_element) {
  std::vector<int> numbers(100, 1);
  api::parallel_for_each(numbers.begin(), numbers.end(), [](int& x) { ++x; });
  api::parallel_for_each(numbers, [](int& x) { ++x; });
  EXPECT_EQ(numbers, std::vector<int>(100, 3));
  std::list<std::string> words(10, "a");
  api::parallel_for_each(words.begin(), words.end(), [](std::string& w) { w += "b"; });
  EXPECT_EQ(words, std::list<std::string>(10, "ab"));
}

TEST(port, a_feeder_takes_what_bodies_find) {
  std::vector<std::atomic<int>> seen(1000);
  std::vector<std::size_t> const roots{0, 600};
  api::parallel_for_each(roots, [&](std::size_t i, api::feeder<std::size_t>& more) {
    ++seen[i];
    for (std::size_t child : {2 * i + 1, 2 * i + 2}) {
      if (child < 600) more.add(child);
    }
  });
  for (std::size_t i = 0; i < 600; ++i) EXPECT_EQ(seen[i], 1) << i;
  EXPECT_EQ(seen[600], 1);

  std::list<std::string> words{"ab", "cd"};
  std::atomic<int> letters{0};
  api::parallel_for_each(words.begin(), words.end(), [&](std::string const& word, api::feeder<std::string>& more) {
    letters += static_cast<int>(word.size());
    if (word.size() > 1) more.add(word.substr(1));
  });
  EXPECT_EQ(letters, 6);

  EXPECT_THROW(api::parallel_for_each(roots,
                                      [](std::size_t i, api::feeder<std::size_t>& more) {
                                        if (i == 50) throw std::out_of_range("50");
                                        more.add(i > 50 ? i - 1 : 50);
                                      }),
               std::out_of_range);

  api::task_group_context context;
  std::atomic<int> calls{0};
  api::parallel_for_each(
      roots,
      [&](std::size_t i, api::feeder<std::size_t>& more) {
        if (++calls == 100) context.cancel_group_execution();
        more.add(i);
      },
      context);
  EXPECT_GE(calls, 100);
}

TEST(port, parallel_reduce_takes_functions) {
  using range = api::blocked_range<int>;
  auto sum = [](range const& r, long so_far) {
    for (int i = r.begin(); i != r.end(); ++i) so_far += i;
    return so_far;
  };
  EXPECT_EQ(api::parallel_reduce(range(0, 1001), 0L, sum, std::plus<long>()), 500500L);
  EXPECT_EQ(api::parallel_reduce(range(0, 0), 0L, sum, std::plus<long>()), 0L);
  EXPECT_EQ(api::parallel_reduce(range(0, 1001, 7), 0L, sum, std::plus<long>(), api::simple_partitioner()), 500500L);

  auto spell = [](range const& r, std::string so_far) {
    for (int i = r.begin(); i != r.end(); ++i) so_far += static_cast<char>('a' + i);
    return so_far;
  };
  EXPECT_EQ(api::parallel_reduce(range(0, 26), std::string{}, spell, std::plus<std::string>()),
            "abcdefghijklmnopqrstuvwxyz");
}

TEST(port, parallel_deterministic_reduce_gives_the_same_bits) {
  std::mt19937 draw(1);
  std::vector<double> data(5000);
  for (double& x : data) x = std::uniform_real_distribution<double>(-1e9, 1e-9)(draw);
  auto once = [&] {
    return api::parallel_deterministic_reduce(
        api::blocked_range<std::size_t>(0, data.size(), 16), 0.0,
        [&](api::blocked_range<std::size_t> const& r, double so_far) {
          return std::accumulate(data.begin() + static_cast<long>(r.begin()), data.begin() + static_cast<long>(r.end()),
                                 so_far);
        },
        std::plus<double>());
  };
  double const first = once();
  for (int i = 0; i < 10; ++i) EXPECT_EQ(once(), first);
}

struct concatenation {
  std::string text;
  concatenation() = default;
  concatenation(concatenation&, api::split) {}
  void operator()(api::blocked_range<int> const& r) {
    for (int i = r.begin(); i != r.end(); ++i) text += static_cast<char>('a' + i);
  }
  void join(concatenation& right) { text += right.text; }
};

TEST(port, parallel_reduce_takes_a_body) {
  concatenation body;
  api::parallel_reduce(api::blocked_range<int>(0, 26), body);
  EXPECT_EQ(body.text, "abcdefghijklmnopqrstuvwxyz");
  concatenation again;
  api::parallel_deterministic_reduce(api::blocked_range<int>(0, 5), again);
  EXPECT_EQ(again.text, "abcde");
}

TEST(port, parallel_scan_takes_functions) {
  for (std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{1009}}) {
    std::vector<long> in(n);
    std::iota(in.begin(), in.end(), 1L);
    std::vector<long> out(n, -1);
    long const total = api::parallel_scan(
        api::blocked_range<std::size_t>(0, n), 0L,
        [&](api::blocked_range<std::size_t> const& r, long sum, bool is_final) {
          for (std::size_t i = r.begin(); i < r.end(); ++i) {
            sum += in[i];
            if (is_final) out[i] = sum;
          }
          return sum;
        },
        std::plus<long>());
    std::vector<long> expected(n);
    std::inclusive_scan(in.begin(), in.end(), expected.begin());
    EXPECT_EQ(out, expected);
    EXPECT_EQ(total, static_cast<long>(n * (n + 1) / 2));
  }
}

TEST(port, parallel_sort_sorts_by_any_order) {
  std::mt19937 draw(2);
  std::vector<int> data(10007);
  for (int& x : data) x = static_cast<int>(draw());
  std::vector<int> expected = data;
  std::sort(expected.begin(), expected.end());
  std::vector<int> copy = data;
  api::parallel_sort(copy.begin(), copy.end());
  EXPECT_EQ(copy, expected);
  copy = data;
  api::parallel_sort(copy);
  EXPECT_EQ(copy, expected);
  api::parallel_sort(copy.begin(), copy.end(), std::greater<int>());
  std::reverse(expected.begin(), expected.end());
  EXPECT_EQ(copy, expected);
}

TEST(port, parallel_invoke_calls_every_function) {
  int a = 0;
  int b = 0;
  int c = 0;
  api::parallel_invoke([&] { a = 1; }, [&] { b = 2; }, [&] { c = 3; });
  EXPECT_EQ(a + b + c, 6);
}

long fib(int n) {
  if (n < 2) return n;
  long x = 0;
  long y = 0;
  api::task_group g;
  g.run([&] { x = fib(n - 1); });
  g.run([&] { y = fib(n - 2); });
  g.wait();
  return x + y;
}

TEST(port, task_groups_may_recurse) { EXPECT_EQ(fib(14), 377); }

TEST(port, task_group_status_cancel_and_exceptions) {
  api::task_group g;
  EXPECT_EQ(g.wait(), api::complete);
  g.cancel();
  std::atomic<int> ran{0};
  g.run([&] { ++ran; });
  EXPECT_EQ(g.wait(), api::task_group_status::canceled);
  EXPECT_EQ(ran.load(), 0);
  api::task_group_status const status = g.run_and_wait([&] { ++ran; });
  EXPECT_EQ(status, api::complete);
  EXPECT_EQ(ran.load(), 1);
  g.run([] { throw std::runtime_error("task"); });
  EXPECT_THROW(g.wait(), std::runtime_error);
  EXPECT_EQ(g.wait(), api::complete);
  auto handle = g.defer([&] { ++ran; });
  g.run(std::move(handle));
  EXPECT_EQ(g.wait(), api::complete);
  EXPECT_EQ(ran.load(), 2);
}

TEST(port, loops_nest_and_exceptions_come_out) {
  std::atomic<int> calls{0};
  api::parallel_for(0, 20, [&](int) { api::parallel_for(0, 20, [&](int) { ++calls; }); });
  EXPECT_EQ(calls.load(), 400);
  EXPECT_THROW(api::parallel_for(0, 100,
                                 [](int i) {
                                   if (i == 50) throw std::out_of_range("50");
                                 }),
               std::out_of_range);
  EXPECT_THROW(api::parallel_invoke([] {}, [] { throw 5; }), int);
}

}  // namespace
