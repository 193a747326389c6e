// SPDX-License-Identifier: MIT
// Loops, reductions and scans over every small range: which calls they make, compared with a loop that counts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "skua/program/algorithm/invoke.hpp"
#include "skua/program/executor_test.hpp"
#include "skua/program/parallel.hpp"
#include "skua/program/parallel_reduce.hpp"
#include "skua/program/pieces.hpp"
#include "skua/program/serial.hpp"
#include "skua/program/task_group.hpp"
#include "skua/program/value_holder.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

using executor = testing::serial_executor;

template <class Index>
class loops_over : public ::testing::Test {};
using indices = ::testing::Types<int, unsigned, std::int8_t, std::uint8_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(loops_over, indices);

TYPED_TEST(loops_over, every_small_range_and_step_call_what_a_serial_loop_calls) {
  using index = TypeParam;
  using limits = std::numeric_limits<index>;
  for (index const low : {limits::min(), index{0}, index{5}, static_cast<index>(limits::max() - 12)}) {
    for (int n = -2; n <= 12; ++n) {
      if (n < 0 && low == limits::min()) continue;
      auto const high = static_cast<index>(low + static_cast<index>(n));
      std::vector<index> seen;
      on::parallel_for<executor>(low, high, [&](index i) { seen.push_back(i); });
      std::ranges::sort(seen);
      std::vector<index> expected;
      for (int i = 0; i < n; ++i) expected.push_back(static_cast<index>(low + static_cast<index>(i)));
      EXPECT_EQ(seen, expected);
      for (int step = 1; step <= 14; ++step) {
        seen.clear();
        on::parallel_for<executor>(low, high, static_cast<index>(step), [&](index i) { seen.push_back(i); });
        std::ranges::sort(seen);
        expected.clear();
        for (int i = 0; i < n; i += step) expected.push_back(static_cast<index>(low + static_cast<index>(i)));
        EXPECT_EQ(seen, expected) << n << " numbers, step " << step;
      }
    }
  }
  EXPECT_THROW(on::parallel_for<executor>(index{0}, index{3}, index{0}, [](index) {}), std::invalid_argument);
}

/// A text with a letter for each element: the order and the number of all parts show.
std::string letters(std::size_t begin, std::size_t end) {
  std::string text;
  for (; begin < end; ++begin) text += static_cast<char>('a' + begin % 26);
  return text;
}

using piece = blocked_range<std::size_t>;

TEST(reductions, of_every_small_range_keep_their_order_and_fold_each_element_once) {
  for (std::size_t n = 0; n <= 40; ++n) {
    for (std::size_t const grain : {1U, 2U, 7U, 100U}) {
      auto const fold = [](piece const& p, std::string so_far) { return so_far + letters(p.begin(), p.end()); };
      auto const join = [](std::string a, std::string const& b) { return a + b; };
      piece const all(0, n, grain);
      std::string const expected = letters(0, n);
      EXPECT_EQ(on::parallel_reduce<executor>(all, std::string(), fold, join), expected);
      EXPECT_EQ(on::parallel_reduce<executor>(all, std::string(), fold, join, simple_partitioner{}), expected);
      EXPECT_EQ(on::parallel_deterministic_reduce<executor>(all, std::string(), fold, join), expected);
      struct body {
        std::string text;
        body() = default;
        body(body&, split) {}
        void operator()(piece const& p) { text += letters(p.begin(), p.end()); }
        void join(body const& right) { text += right.text; }
      };
      body whole;
      on::parallel_reduce<executor>(all, whole);
      EXPECT_EQ(whole.text, expected);
      body again;
      on::parallel_deterministic_reduce<executor>(all, again);
      EXPECT_EQ(again.text, expected);
    }
  }
}

TEST(scans, of_every_small_range_scan_each_piece_once_finally_and_all_but_the_last_before) {
  for (std::size_t n = 0; n <= 40; ++n) {
    for (std::size_t const grain : {1U, 3U, 100U}) {
      std::vector<std::string> sums(n);
      std::size_t finally = 0;
      std::size_t before = 0;
      std::size_t last_seen_before = 0;
      auto const scan = [&](piece const& p, std::string sum, bool is_final) {
        (is_final ? finally : before) += p.size();
        if (!is_final) last_seen_before = std::max(last_seen_before, p.end());
        for (std::size_t i = p.begin(); i != p.end(); ++i) {
          sum += letters(i, i + 1);
          if (is_final) sums[i] = sum;
        }
        return sum;
      };
      auto const join = [](std::string const& a, std::string const& b) { return a + b; };
      EXPECT_EQ(on::parallel_scan<executor>(piece(0, n, grain), std::string(), scan, join, simple_partitioner{}),
                letters(0, n));
      for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(sums[i], letters(0, i + 1));
      EXPECT_EQ(finally, n);
      EXPECT_TRUE(n == 0 || last_seen_before < n) << "nobody waits for the sum of the last piece";
      EXPECT_TRUE(n <= grain || before > 0);
    }
  }
}

TEST(calls, of_any_number_are_made_once_each) {
  serial here;
  std::vector<int> made(5);
  auto const f = [&](std::size_t i) { return [&made, i] { ++made[i]; }; };
  invoke(here);
  invoke(here, f(0));
  invoke(here, f(0), f(1));
  invoke(here, f(0), f(1), f(2));
  EXPECT_EQ(made, (std::vector{3, 2, 1, 0, 0}));
  on::parallel_invoke<executor>(f(3));
  on::parallel_invoke<executor>(f(3), f(4));
  on::parallel_invoke<executor>(f(3), f(4), f(0), f(1), f(2));
  EXPECT_EQ(made, (std::vector{4, 3, 2, 3, 2}));
}

/// A range that can only be halved.
struct in_halves : blocked_range<std::size_t> {
  in_halves(std::size_t begin, std::size_t end) : blocked_range<std::size_t>(begin, end) {}
  in_halves(in_halves& r, split s) : blocked_range<std::size_t>(r, s) {}
};

TEST(ranges_of_a_user, with_fewer_elements_than_there_are_pieces_are_divided_to_their_elements) {
  for (std::size_t n = 0; n <= 40; ++n) {
    in_halves const all(0, n);
    auto const fold = [](in_halves const& p, std::string so_far) {
      EXPECT_FALSE(p.empty());
      return so_far + letters(p.begin(), p.end());
    };
    auto const join = [](std::string a, std::string const& b) { return a + b; };
    EXPECT_EQ(on::parallel_reduce<executor>(all, std::string(), fold, join), letters(0, n));
    std::vector<int> seen(n);
    on::parallel_for<executor>(all, [&](in_halves const& p) {
      EXPECT_FALSE(p.empty());
      for (std::size_t i = p.begin(); i != p.end(); ++i) ++seen[i];
    });
    EXPECT_EQ(seen, std::vector<int>(n, 1));
    auto const scan = [](in_halves const& p, std::string sum, bool) {
      EXPECT_FALSE(p.empty());
      return sum + letters(p.begin(), p.end());
    };
    EXPECT_EQ(on::parallel_scan<executor>(all, std::string(), scan, join), letters(0, n));
  }
}

TEST(reductions, fold_as_many_pieces_as_their_partitioner_says) {
  int folds = 0;
  auto const fold = [&](piece const&, int so_far) { return ++folds, so_far; };
  on::parallel_reduce<executor>(piece(0, 1000), 0, fold, std::plus<>{});
  EXPECT_EQ(folds, 32) << "four workers";
  folds = 0;
  on::parallel_reduce<executor>(piece(0, 1000), 0, fold, std::plus<>{}, simple_partitioner{});
  EXPECT_EQ(folds, 1000);
}

/// Counts those that live.
struct counted {
  int value = 0;
  counted() { ++alive; }
  explicit counted(int v) : value(v) { ++alive; }
  counted(counted const& o) : value(o.value) { ++alive; }
  ~counted() {
    --alive;
    *static_cast<int volatile*>(&value) = -1;  // whoever reads it later sees that it is gone
  }
  counted& operator=(counted const&) = default;
  static inline int alive = 0;
};

TEST(reductions, destroy_every_value_once_whoever_throws) {
  for (int bad = 0; bad <= 40; ++bad) {
    int calls = 0;
    auto const burn = [&] {
      if (++calls == bad) throw std::out_of_range("bad");
    };
    auto const reduce = [&] {
      counted const all = on::parallel_reduce<executor>(
          piece(0, 10), counted(),
          [&](piece const& p, counted so_far) {
            burn();
            so_far.value += static_cast<int>(p.size());
            return so_far;
          },
          [&](counted const& a, counted const& b) {
            burn();
            return counted(a.value + b.value);
          },
          simple_partitioner{});
      EXPECT_EQ(all.value, 10);
    };
    if (bad == 0 || bad > 19) {
      EXPECT_NO_THROW(reduce());
    } else {
      EXPECT_THROW(reduce(), std::out_of_range);
    }
    EXPECT_EQ(counted::alive, 0) << bad;
  }
}

/// A value that can be made and not assigned.
struct unassigned : counted {
  using counted::counted;
  unassigned(unassigned const&) noexcept = default;
  unassigned& operator=(unassigned const&) = delete;
};

TEST(values, that_cannot_be_assigned_are_made_anew) {
  {
    unassigned to(1);
    assign(to, unassigned(2));
    EXPECT_EQ(to.value, 2);
    EXPECT_EQ(counted::alive, 1);
    held_value<unassigned> held(std::in_place, [] { return unassigned(3); });
    replace(held, [&] { return unassigned((*held).value + 1); });
    EXPECT_EQ((*held).value, 4);
    boxed_value<unassigned> boxed(std::in_place, [] { return unassigned(5); });
    replace(boxed, [&] { return unassigned((*boxed).value + 1); });
    EXPECT_EQ((*boxed).value, 6);
    EXPECT_EQ(counted::alive, 3);
  }
  EXPECT_EQ(counted::alive, 0);
}

TEST(loops_over_streams, and_stable_sorts_are_those_of_the_algorithms) {
  std::istringstream text("3 1 2");
  std::vector<int> seen;
  on::parallel_for_each<executor>(std::istream_iterator<int>(text), std::istream_iterator<int>(),
                                  [&](int i) { seen.push_back(i); });
  std::ranges::sort(seen);
  EXPECT_EQ(seen, (std::vector{1, 2, 3}));
  std::vector<std::pair<int, int>> pairs;
  for (int i = 0; i < 5000; ++i) pairs.emplace_back(i * 7 % 10, i);
  std::vector<std::pair<int, int>> expected = pairs;
  auto const by_first = [](auto const& a, auto const& b) { return a.first < b.first; };
  std::ranges::sort(expected);  // the second ones rise
  on::parallel_stable_sort<executor>(pairs.begin(), pairs.end(), by_first);
  EXPECT_EQ(pairs, expected);
}

/// A function whose end tells whether its group still waits for it.
struct watched_end {
  wait_group* group;
  bool* counted_at_end;
  bool* counted_in_call;
  watched_end(wait_group& g, bool& at_end, bool& in_call)
      : group(&g), counted_at_end(&at_end), counted_in_call(&in_call) {}
  watched_end(watched_end&& o) noexcept
      : group(std::exchange(o.group, nullptr)), counted_at_end(o.counted_at_end), counted_in_call(o.counted_in_call) {}
  ~watched_end() {
    if (group != nullptr) *counted_at_end = !group->done();
  }
  void operator()() const { *counted_in_call = !group->done(); }
};

TEST(tasks_of_a_group, are_counted_until_their_function_has_been_called_and_destroyed) {
  wait_group group;
  bool at_end = false;
  bool in_call = false;
  shuffled here(1);
  {
    using task = group_task<shuffled, unhinted, watched_end>;
    auto* const made = new task(group, {}, false, watched_end(group, at_end, in_call));
    group.add();
    made->kind->run(*made, here);
    EXPECT_TRUE(in_call);
    EXPECT_TRUE(at_end) << "the function may refer to a frame that waits for the group";
    EXPECT_TRUE(group.done());
  }
  in_call = false;
  watched_end stays(group, at_end, in_call);
  waited_task<shuffled, watched_end&> waited(group, stays);
  group.add();
  waited.kind->run(waited, here);
  EXPECT_TRUE(in_call);
  EXPECT_TRUE(group.done());
}

TEST(cuts, divide_whole_workers_first_and_tell_the_work_of_their_sides) {
  for (std::uint32_t pieces = 2; pieces <= 8; ++pieces) {
    EXPECT_EQ(cut::of(pieces).left, pieces / 2);
    EXPECT_EQ(cut::of(pieces).right, pieces - pieces / 2);
  }
  for (std::uint32_t workers = 2; workers <= 9; ++workers) {
    cut const c = cut::of(8 * workers);
    EXPECT_EQ(c.left, workers / 2 * 8);
    EXPECT_EQ(c.right, (workers - workers / 2) * 8);
    EXPECT_EQ(c.halves(), workers % 2 == 0);
    EXPECT_EQ(c.left_work().amount, c.left);
    EXPECT_EQ(c.right_work().amount, c.right);
    for (std::size_t n = 2; n < 50; ++n) {
      EXPECT_EQ(c.middle(n), std::max<std::size_t>(1, n * c.left / (c.left + c.right)));
    }
  }
  EXPECT_EQ(cut::of(0).left_work().amount, 1);
  EXPECT_EQ(cut::of(0).right_work().amount, 1);
  EXPECT_EQ(usual_pieces(0), 8U);
  EXPECT_EQ(usual_pieces(3), 24U);
}

TEST(a_pace, tells_what_takes_longer_and_what_fits) {
  pace const known{.ticks = 10, .elements = 2};
  EXPECT_TRUE(known.is_known());
  EXPECT_FALSE(pace{}.is_known());
  EXPECT_FALSE(known.takes_longer(4, 20)) << "as long";
  EXPECT_TRUE(known.takes_longer(4, 19));
  EXPECT_EQ(known.fit_into(20), 4U);
  EXPECT_EQ(known.fit_into(24), 4U);
  EXPECT_EQ(known.fit_into(4), 1U) << "at least one";
  EXPECT_EQ((pace{.ticks = 0, .elements = 3}.fit_into(7)), 21U);
}

}}}}  // namespace skua::v0::runtime
