// SPDX-License-Identifier: MIT
// Ranges that divide themselves, how far they are divided, and the shuffled `here` that other tests rely on.
#include "skua/program/blocked_range.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <stdexcept>
#include <vector>

#include "skua/program/executor_test.hpp"
#include "skua/program/parallel.hpp"
#include "skua/program/parallel_reduce.hpp"
#include "skua/program/partitioner.hpp"

namespace skua::runtime {
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

TEST(partitioner, automatic_makes_at_most_16_pieces_per_worker_and_simple_goes_down_to_the_grain) {
  for (std::uint32_t workers : {1U, 2U, 5U, 64U}) {
    shuffled here{7, workers};
    auto pieces_of = [&](unsigned depth) {
      std::size_t pieces = 0;
      blocked_range<int> whole(0, 100'000, 10);
      divide(here, whole, depth, [&](blocked_range<int> const&) { ++pieces; });
      return pieces;
    };
    std::size_t const pieces = pieces_of(halvings<auto_partitioner>(here));
    EXPECT_GE(pieces, 8U * workers);
    EXPECT_LE(pieces, 16U * workers);
    EXPECT_EQ(pieces_of(halvings<simple_partitioner>(here)), 16384U);
  }
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
}  // namespace skua::runtime
