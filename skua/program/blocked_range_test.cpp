// SPDX-License-Identifier: MIT
// Ranges that divide themselves, how far they are divided, and the shuffled `here` that other tests rely on.
#include "skua/program/blocked_range.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <set>
#include <stdexcept>
#include <vector>

#include "skua/program/executor_test.hpp"
#include "skua/program/parallel.hpp"
#include "skua/program/parallel_reduce.hpp"
#include "skua/program/partitioner.hpp"

namespace skua::inline v0::runtime {
namespace {

static_assert(self_dividing<blocked_range<int>>);
static_assert(self_dividing<blocked_range<std::vector<int>::iterator>>);
static_assert(self_dividing<blocked_range2d<int, std::size_t>>);
static_assert(!self_dividing<std::vector<int>>);

TEST(blocked_range, halves_are_not_empty_and_together_the_whole) {
  for (int n : {2, 3, 10, 1001}) {
    blocked_range<int> left(-5, n - 5, 1);
    blocked_range<int> const right(left, split{});
    EXPECT_EQ(left.begin(), -5);
    EXPECT_EQ(left.end(), right.begin());
    EXPECT_EQ(right.end(), n - 5);
    EXPECT_FALSE(left.empty());
    EXPECT_FALSE(right.empty());
  }
}

TEST(blocked_range, is_divisible_above_its_grain_only) {
  EXPECT_FALSE(blocked_range<int>(0, 0).is_divisible());
  EXPECT_FALSE(blocked_range<int>(0, 1).is_divisible());
  EXPECT_TRUE(blocked_range<int>(0, 2).is_divisible());
  EXPECT_FALSE(blocked_range<int>(0, 10, 10).is_divisible());
  EXPECT_TRUE(blocked_range<int>(0, 11, 10).is_divisible());
  EXPECT_TRUE(blocked_range<int>(5, 3).empty());
  EXPECT_FALSE(blocked_range<int>(5, 3).is_divisible());
}

TEST(blocked_range, a_grain_of_nothing_is_refused) {
  EXPECT_THROW(blocked_range<int>(0, 5, 0), usage_error);
  EXPECT_THROW((blocked_range2d<int>(0, 5, 1, 0, 5, 0)), usage_error);
  EXPECT_THROW(proportional_split(0, 1), usage_error);
}

TEST(blocked_range, may_be_longer_than_its_type_can_count) {
  constexpr int least = std::numeric_limits<int>::min();
  constexpr int most = std::numeric_limits<int>::max();
  blocked_range<int> low(least, most);
  EXPECT_EQ(low.size(), 0xffff'ffffU);
  blocked_range<int> high(low, split{});
  EXPECT_EQ(low.begin(), least);
  EXPECT_EQ(low.end(), high.begin());
  EXPECT_EQ(high.begin(), -1);
  EXPECT_EQ(high.end(), most);
  EXPECT_EQ(low.size() + high.size(), 0xffff'ffffU);
  EXPECT_EQ(low.part(1, low.size()).begin(), least + 1);
  blocked_range<signed char> narrow(-128, 127);
  EXPECT_EQ(narrow.size(), 255U);
}

TEST(blocked_range, splits_in_proportion) {
  for (int n : {2, 3, 10, 1001}) {
    for (std::size_t const left : {1U, 2U, 1000U}) {
      blocked_range<int> first(-5, n - 5);
      proportional_split const p(left, 2);
      blocked_range<int> const second(first, p);
      EXPECT_FALSE(first.empty());
      EXPECT_FALSE(second.empty());
      EXPECT_EQ(first.end(), second.begin());
      EXPECT_EQ(first.size() + second.size(), static_cast<std::size_t>(n));
      EXPECT_EQ(first.size(), std::clamp<std::size_t>(static_cast<std::size_t>(n) * left / (left + 2), 1,
                                                      first.size() + second.size() - 1));
    }
  }
}

TEST(blocked_range3d, divides_the_longest_side) {
  blocked_range3d<int> deep(0, 100, 1, 0, 10, 1, 0, 50, 1);
  blocked_range3d<int> const back(deep, split{});
  EXPECT_EQ(deep.pages().size(), 50U);
  EXPECT_EQ(back.pages().begin(), 50);
  EXPECT_EQ(back.rows().size(), 10U);
  blocked_range3d<int> wide(0, 100, 50, 0, 10, 1, 0, 30, 1);
  blocked_range3d<int> const right(wide, proportional_split(1, 2));
  EXPECT_EQ(wide.cols().size(), 10U);
  EXPECT_EQ(right.cols().size(), 20U);
  EXPECT_EQ(right.pages().size(), 100U);
  blocked_range3d<int> tall(0, 100, 50, 0, 31, 1, 0, 30, 1);
  blocked_range3d<int> const lower(tall, split{});
  EXPECT_EQ(tall.rows().size() + lower.rows().size(), 31U);
  EXPECT_FALSE((blocked_range3d<int>(0, 4, 0, 0, 0, 4).is_divisible()));
  EXPECT_TRUE((blocked_range3d<int>(0, 4, 0, 0, 0, 4).empty()));
  EXPECT_FALSE((blocked_range3d<int>(0, 4, 4, 0, 5, 5, 0, 6, 6).is_divisible()));
}

TEST(blocked_range2d, divides_the_longer_side) {
  blocked_range2d<int> tall(0, 100, 1, 0, 10, 1);
  blocked_range2d<int> const lower(tall, split{});
  EXPECT_EQ(tall.rows().size(), 50U);
  EXPECT_EQ(lower.cols().size(), 10U);
  blocked_range2d<int> wide(0, 100, 50, 0, 10, 1);
  blocked_range2d<int> const right(wide, split{});
  EXPECT_EQ(wide.rows().size(), 100U);
  EXPECT_EQ(right.cols().begin(), 5);
}

/// A range that can only be halved.
struct halves : blocked_range<int> {
  halves(int begin, int end, std::size_t grain) : blocked_range<int>(begin, end, grain) {}
  halves(halves& r, split s) : blocked_range<int>(r, s) {}
};
/// A range that says that it does not divide in proportion.
struct refuses : blocked_range<int> {
  using blocked_range<int>::blocked_range;
  static constexpr bool is_splittable_in_proportion = false;
};
/// As oneTBB's users write it: the proportion comes by reference.
struct ported {
  ported(int b, int e) : begin(b), end(e) {}
  ported(ported& r, split) : begin((r.begin + r.end) / 2), end(r.end) { r.end = begin; }
  ported(ported& r, proportional_split& p)
      : begin(r.end - static_cast<int>(static_cast<std::size_t>(r.end - r.begin) * p.right() / (p.left() + p.right()))),
        end(r.end) {
    r.end = begin;
  }
  [[nodiscard]] bool empty() const { return begin >= end; }
  [[nodiscard]] bool is_divisible() const { return end - begin > 1; }
  int begin;
  int end;
};
static_assert(!splits_in_proportion<halves> && !splits_in_proportion<refuses> && splits_in_proportion<ported>);
static_assert(splits_in_proportion<blocked_range<int>> && splits_in_proportion<blocked_range3d<int>>);

template <class Range>
std::vector<std::size_t> sizes_of_pieces(std::uint32_t workers, Range whole, bool fully) {
  shuffled here{7, workers};
  std::vector<std::size_t> sizes;
  divide(here, whole, pieces_of<Range>(here, fully), [&](Range const& r) {
    if constexpr (requires { r.size(); }) {
      sizes.push_back(r.size());
    } else {
      sizes.push_back(static_cast<std::size_t>(r.end - r.begin));
    }
  });
  return sizes;
}

TEST(partitioner, automatic_makes_8_equal_pieces_per_worker_and_simple_goes_down_to_the_grain) {
  for (std::uint32_t const workers : {1U, 2U, 3U, 5U, 7U, 12U, 64U}) {
    SCOPED_TRACE(workers);
    auto const equal = [&](std::vector<std::size_t> const& sizes, std::size_t n) {
      EXPECT_EQ(sizes.size(), 8 * workers);
      auto const [least, most] = std::minmax_element(sizes.begin(), sizes.end());
      EXPECT_LE(*most - *least, 8U) << "cuts round";
      EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}), n);
    };
    equal(sizes_of_pieces(workers, blocked_range<int>(0, 100'000, 10), false), 100'000);
    equal(sizes_of_pieces(workers, ported(0, 100'000), false), 100'000);
    std::vector<std::size_t> const halved = sizes_of_pieces(workers, halves(0, 100'000, 10), false);
    EXPECT_EQ(halved.size(), std::bit_ceil(8 * workers));
    EXPECT_EQ(sizes_of_pieces(workers, refuses(0, 100'000, 10), false).size(), halved.size());
    EXPECT_EQ(sizes_of_pieces(workers, blocked_range<int>(0, 100'000, 10), true).size(), 16384U);
  }
}

/// The sizes of the pieces that on::parallel_for makes of n indices, for executors with four workers.
template <class... Options>
std::vector<std::size_t> sizes_of_loop(int n, Options const&... how) {
  std::vector<std::size_t> sizes;
  piece_body<shuffled> const note{[](void const* to, shuffled&, std::size_t begin, std::size_t end) {
                                    (*static_cast<std::vector<std::size_t>* const*>(to))->push_back(end - begin);
                                  },
                                  nullptr};
  std::vector<std::size_t>* const into = &sizes;
  loop_over<testing::serial_executor>(static_cast<std::size_t>(n), grain_of(how...), divides_fully<Options...>,
                                      {note.call, &into});
  return sizes;
}

TEST(partitioner, a_grain_bounds_pieces_under_simple_and_their_number_otherwise) {
  for (int const n : {0, 1, 2, 63, 64, 65, 1000}) {
    for (std::size_t const g : {0U, 1U, 2U, 10U, 64U, 5000U}) {
      SCOPED_TRACE(::testing::Message() << n << " elements, grain " << g);
      for (std::size_t const size : sizes_of_loop(n, grain{g}, simple_partitioner{})) {
        EXPECT_LE(size, std::max<std::size_t>(1, g));
        EXPECT_GE(2 * size, std::min<std::size_t>(g, static_cast<std::size_t>(n)));
      }
      std::vector<std::size_t> const sizes = sizes_of_loop(n, grain{g});
      EXPECT_LE(sizes.size(), 32U);
      for (std::size_t const size : sizes) EXPECT_GE(2 * size, std::min<std::size_t>(g, static_cast<std::size_t>(n)));
      EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}), static_cast<std::size_t>(n));
    }
  }
  EXPECT_EQ(sizes_of_loop(1000).size(), 32U);
  EXPECT_EQ(sizes_of_loop(1000, automatic).size(), 32U);
  EXPECT_EQ(sizes_of_loop(1000, grain{400}), (std::vector<std::size_t>(4, 250)));
}

TEST(pieces, every_cut_gives_both_sides_something) {
  for (std::uint32_t pieces : {0U, 2U, 8U, 16U, 24U, 40U, 8U * 65'535U}) {
    cut const c = cut::of(pieces);
    EXPECT_EQ(c.left + c.right, pieces);
    for (std::size_t n : {std::size_t{2}, std::size_t{3}, std::size_t{1000}, std::numeric_limits<std::size_t>::max()}) {
      EXPECT_GE(c.middle(n), 1U);
      EXPECT_LE(c.middle(n), n / 2) << "the shorter side first";
    }
  }
  EXPECT_EQ(cut::of(24).left, 8U);
}

TEST(parallel_for, steps_near_the_ends_of_their_type) {
  using executor = testing::serial_executor;
  std::multiset<int> seen;
  constexpr int low = std::numeric_limits<int>::min();
  constexpr int high = std::numeric_limits<int>::max();
  on::parallel_for<executor>(low, high, 1'000'000'000, [&](int i) { seen.insert(i); });
  EXPECT_EQ(seen, (std::multiset<int>{low, low + 1'000'000'000, low + 2'000'000'000, 852'516'352, 1'852'516'352}));
  int calls = 0;
  on::parallel_for<executor>(0, 1, high, [&](int) { ++calls; });
  EXPECT_EQ(calls, 1);
  EXPECT_THROW(on::parallel_for<executor>(0, 10, -1, [](int) {}), std::invalid_argument);
  on::parallel_for<executor>(static_cast<short>(0), static_cast<short>(10), static_cast<short>(3),
                             [&](int) { ++calls; });
  EXPECT_EQ(calls, 5);
}

TEST(parallel_reduce, deterministic_sum_is_the_same_on_any_executor) {
  std::vector<double> data;
  dice d{5};
  for (int i = 0; i < 3000; ++i) data.push_back((d.unit() - 0.5) * static_cast<double>(1U << d.below(30)));
  auto fold = [&](blocked_range<std::size_t> const& r, double sum) {
    for (std::size_t i = r.begin(); i != r.end(); ++i) sum += data[i];
    return sum;
  };
  blocked_range<std::size_t> const whole(0, data.size(), 7);
  double const serial =
      on::parallel_deterministic_reduce<testing::serial_executor>(whole, 0.0, fold, std::plus<double>());
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(on::parallel_deterministic_reduce<testing::toy_executor>(whole, 0.0, fold, std::plus<double>()), serial);
  }
}

TEST(shuffled, runs_every_child_once_in_an_order_that_its_seed_decides) {
  auto order_of = [](std::uint64_t seed) {
    shuffled here{seed};
    std::vector<int> order;
    here.join([&](shuffled&) { order.push_back(0); }, [&](shuffled&) { order.push_back(1); },
              [&](shuffled&) { order.push_back(2); });
    std::vector<int> const numbers{3, 4, 5, 6};
    here.each(numbers, [&](shuffled&, int i) { order.push_back(i); });
    here.scope([&](auto& s) {
      for (int i = 7; i < 10; ++i) s.fork([&order, i](shuffled&) { order.push_back(i); });
    });
    return order;
  };
  std::set<std::vector<int>> orders;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::vector<int> order = order_of(seed);
    EXPECT_EQ(order, order_of(seed)) << "seed " << seed;
    orders.insert(order);
    std::sort(order.begin(), order.end());
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9})) << "seed " << seed;
  }
  EXPECT_GT(orders.size(), 40U);
  shuffled backwards{0, 4, child_order::backwards};
  auto [a, b] = backwards.join([](shuffled&) { return 1; }, [](shuffled&) { return 2; });
  EXPECT_EQ(a, 1);
  EXPECT_EQ(b, 2);
}

}  // namespace
}  // namespace skua::inline v0::runtime
