// SPDX-License-Identifier: MIT
// What counts as a function: pointers to members, plain functions, callables that only an rvalue can call.
#include "skua/program/callable.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "skua/program/recorder.hpp"
#include "skua/skua.hpp"
#include "tests/programs/shuffled.hpp"

namespace {

/// As large as a pointer: for smaller ones GCC 12 warns of a virtual call that no program makes (-Warray-bounds).
struct cell {
  long value = 0;
  void bump() { ++value; }
  [[nodiscard]] cell plus(cell const& other) const { return {value + other.value}; }
  [[nodiscard]] bool before(cell const& other) const { return value < other.value; }
  [[nodiscard]] bool is_even() const { return value % 2 == 0; }
};

std::vector<cell> cells(int n) {
  std::vector<cell> all(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) all[static_cast<std::size_t>(i)].value = n - i;
  return all;
}
long total(std::vector<cell> const& all) {
  return std::accumulate(all.begin(), all.end(), 0L, [](long sum, cell const& c) { return sum + c.value; });
}

/// Counts its calls. Only an rvalue may be called, so it may give away what it owns.
struct once {
  std::unique_ptr<std::atomic<int>*> count;
  explicit once(std::atomic<int>& n) : count(std::make_unique<std::atomic<int>*>(&n)) {}
  void operator()() && { ++**std::exchange(count, nullptr); }
};
/// The same with a `here`, and copyable.
struct once_here {
  std::atomic<int>* count;
  int operator()(auto& here) && {
    here.join([this](auto&) { ++*count; }, [](auto&) {});
    return 7;
  }
};

std::atomic<int> plain_calls{0};
void plain() { ++plain_calls; }
void plain_index(int i) { plain_calls += i; }

/// A range that knows how to work on itself.
struct stretch : skua::blocked_range<int> {
  using skua::blocked_range<int>::blocked_range;
  stretch(stretch& r, skua::split s) : skua::blocked_range<int>(r, s) {}
  [[nodiscard]] long add_to(long sum) const {
    for (int i = begin(); i != end(); ++i) sum += i;
    return sum;
  }
  [[nodiscard]] long scan_into(long sum, bool) const { return add_to(sum); }
  void count() const { plain_calls += static_cast<int>(size()); }
};

}  // namespace

TEST(callable, loops_take_pointers_to_members_and_functions) {
  std::vector<cell> all = cells(100);
  long const before = total(all);
  skua::parallel_for_each(all, &cell::bump);
  skua::parallel_for_each(all.begin(), all.end(), &cell::bump);
  EXPECT_EQ(total(all), before + 200);
  skua::pool pool({.workers = 2});
  pool.run([&](auto& here) { skua::for_each(here, all, &cell::bump); });
  EXPECT_EQ(total(all), before + 300);

  plain_calls = 0;
  skua::parallel_for(0, 10, plain_index);
  EXPECT_EQ(plain_calls, 45);
  skua::parallel_for(0, 10, 3, plain_index);
  EXPECT_EQ(plain_calls, 45 + 18);
  plain_calls = 0;
  skua::parallel_for(stretch(0, 1000), &stretch::count);
  EXPECT_EQ(plain_calls, 1000);
}

TEST(callable, reductions_and_scans_take_pointers_to_members) {
  auto const plus = [](long a, long b) { return a + b; };
  EXPECT_EQ(skua::parallel_reduce(stretch(0, 1000), 0L, &stretch::add_to, plus), 499'500);
  EXPECT_EQ(skua::parallel_deterministic_reduce(stretch(0, 1000, 10), 0L, &stretch::add_to, plus), 499'500);
  EXPECT_EQ(skua::parallel_scan(stretch(0, 1000), 0L, &stretch::scan_into, plus), 499'500);
  std::vector<cell> all = cells(1000);
  cell const sum = skua::parallel_reduce(
      skua::blocked_range<std::size_t>(0, all.size()), cell{},
      [&](auto const& piece, cell so_far) {
        for (std::size_t i = piece.begin(); i != piece.end(); ++i) so_far.value += all[i].value;
        return so_far;
      },
      &cell::plus);
  EXPECT_EQ(sum.value, 500'500);

  skua::pool pool({.workers = 2});
  pool.run([&](auto& here) {
    EXPECT_EQ(skua::reduce(here, all, cell{}, &cell::plus).value, 500'500);
    EXPECT_EQ(skua::reduce(here, all, 0L, std::plus<>{}, &cell::value), 500'500);
    std::vector<cell> sums(all.size());
    EXPECT_EQ(skua::inclusive_scan(here, all, sums.begin(), cell{}, &cell::plus).value, 500'500);
    EXPECT_EQ(sums.back().value, 500'500);
    EXPECT_EQ(skua::exclusive_scan(here, all, sums.begin(), cell{}, &cell::plus).value, 500'500);
    EXPECT_EQ(skua::filter(here, all, &cell::is_even).size(), 500U);
    std::vector<long> values(all.size());
    skua::transform(here, all, values.begin(), &cell::value);
    EXPECT_EQ(std::accumulate(values.begin(), values.end(), 0L), 500'500);
  });
}

TEST(callable, orders_may_be_pointers_to_members) {
  for (int n : {10, 5000}) {  // by insertion, and by merges
    std::vector<cell> all = cells(n);
    skua::parallel_sort(all, &cell::before);
    EXPECT_TRUE(std::is_sorted(all.begin(), all.end(), std::mem_fn(&cell::before))) << n;
    skua::pool pool({.workers = 2});
    pool.run([&](auto& here) {
      std::vector<cell> again = cells(n);
      skua::sort(here, again, &cell::before);
      std::vector<cell> both(2 * all.size());
      skua::merge(here, all, again, both.begin(), &cell::before);
      EXPECT_TRUE(std::is_sorted(both.begin(), both.end(), std::mem_fn(&cell::before))) << n;
    });
  }
}

TEST(callable, tasks_of_a_group_are_called_once_as_rvalues) {
  std::atomic<int> calls{0};
  skua::task_group group;
  group.run(once{calls});
  group.run(skua::work{2}, once{calls});
  group.run(group.defer(once{calls}));
  group.run(once_here{&calls});
  once_here const kept{&calls};
  group.run(kept);  // of a copy
  EXPECT_EQ(group.run_and_wait(once{calls}), skua::complete);
  EXPECT_EQ(calls, 6);
  plain_calls = 0;
  group.run(plain);
  group.run(&plain);
  EXPECT_EQ(group.run_and_wait(plain), skua::complete);
  EXPECT_EQ(plain_calls, 3);
}

TEST(callable, parallel_invoke_calls_rvalues_and_plain_functions) {
  std::atomic<int> calls{0};
  plain_calls = 0;
  skua::parallel_invoke(once{calls}, plain, &plain, once_here{&calls}, [&calls] { ++calls; });
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(plain_calls, 2);
  skua::parallel_invoke(once{calls});
  auto mine = [&calls, n = 0]() mutable { calls += ++n; };
  skua::parallel_invoke(mine, once{calls});
  EXPECT_EQ(calls, 6);
  skua::pool pool({.workers = 2});
  pool.run([&](auto& here) { skua::invoke(here, once{calls}, once_here{&calls}, plain); });
  EXPECT_EQ(calls, 8);
}

template <class Here>
void join_and_fork_rvalues(Here& here) {
  std::atomic<int> calls{0};
  auto const values = here.join(once_here{&calls}, once_here{&calls});
  EXPECT_EQ(std::get<0>(values) + std::get<1>(values), 14);
  here.join(once_here{&calls}, [](auto&) {}, once_here{&calls});
  once_here const kept{&calls};
  here.scope([&](auto& s) {
    s.spawn(once_here{&calls});
    s.spawn(skua::work{2}, once_here{&calls});
    s.spawn(kept);
  });
  EXPECT_EQ(calls, 7);
}

TEST(callable, children_of_joins_and_scopes_may_be_rvalues) {
  skua::pool pool({.workers = 2});
  for (int i = 0; i < 20; ++i) pool.run([](auto& here) { join_and_fork_rvalues(here); });
  skua::serial alone;
  join_and_fork_rvalues(alone);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    skua::shuffled any{seed};
    join_and_fork_rvalues(any);
  }
  static_cast<void>(skua::record([](auto& here) { join_and_fork_rvalues(here); }));
}
