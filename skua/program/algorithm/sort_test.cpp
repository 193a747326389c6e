// SPDX-License-Identifier: MIT
#include "skua/program/algorithm/sort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>

#include "skua/program/algorithm/here_test.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

using testing::on_every_here;

/// Numbers of any type from all of its range, or from a few values.
template <class T>
std::vector<T> random_values(std::size_t n, std::uint64_t seed, std::uint64_t mask = ~std::uint64_t{0}) {
  dice d{seed};
  std::vector<T> all(n);
  for (T& x : all) x = static_cast<T>(d.next() & mask);
  return all;
}

constexpr std::size_t around_thresholds[] = {0, 1, 2, 255, 256, 1023, 1024, 2047, 2048, 5003, 70'001};

template <class T>
class sort_of_integers : public ::testing::Test {};
using integers = ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                                  std::int64_t, std::uint64_t, char, wchar_t, char16_t>;
TYPED_TEST_SUITE(sort_of_integers, integers);

TYPED_TEST(sort_of_integers, of_every_size_in_both_directions) {
  on_every_here([](auto& here) {
    for (std::size_t const n : around_thresholds) {
      for (std::uint64_t const mask : {~std::uint64_t{0}, std::uint64_t{0x7f}, std::uint64_t{0xff00}}) {
        std::vector<TypeParam> data = random_values<TypeParam>(n, n + mask, mask);
        std::vector<TypeParam> expected = data;
        std::sort(expected.begin(), expected.end());
        std::vector<TypeParam> falling = data;
        sort(here, data);
        ASSERT_EQ(data, expected) << "n " << n << " mask " << mask;
        sort(here, falling, std::greater<>{});
        std::reverse(expected.begin(), expected.end());
        ASSERT_EQ(falling, expected) << "n " << n << " mask " << mask;
      }
    }
  });
}

TEST(sort, the_order_may_come_by_reference_and_by_any_name) {
  on_every_here([](auto& here) {
    std::vector<int> const data = random_values<int>(5003, 1);
    std::vector<int> rising = data;
    std::sort(rising.begin(), rising.end());
    std::vector<int> const falling(rising.rbegin(), rising.rend());
    auto const sorted = [&](auto less) {
      std::vector<int> copy = data;
      sort(here, copy.begin(), copy.end(), less);
      return copy;
    };
    std::less<> const less;
    std::greater<int> const greater;
    EXPECT_EQ(sorted(std::cref(less)), rising);
    EXPECT_EQ(sorted(std::ranges::less{}), rising);
    EXPECT_EQ(sorted(std::less<int>{}), rising);
    EXPECT_EQ(sorted(std::cref(greater)), falling);
    EXPECT_EQ(sorted(std::ranges::greater{}), falling);
    EXPECT_EQ(sorted([](int a, int b) { return a < b; }), rising);
  });
}

TEST(sort, everything_else_of_every_size_and_grain) {
  on_every_here([](auto& here) {
    for (std::size_t const n : testing::sizes) {
      for (std::size_t const g : testing::grains) {
        std::vector<double> data;
        for (int x : testing::numbers(n, n + g, static_cast<std::uint32_t>(n / 3 + 1))) data.push_back(x / 7.0);
        std::vector<double> expected = data;
        std::sort(expected.begin(), expected.end());
        sort(here, data, std::less<>{}, grain{g});
        ASSERT_EQ(data, expected) << "n " << n << " grain " << g;
      }
    }
  });
}

/// Orders that make a quicksort slow if it does not look.
std::vector<std::vector<double>> shapes(std::size_t n) {
  std::vector<std::vector<double>> all(8, std::vector<double>(n));
  for (std::size_t i = 0; i < n; ++i) {
    auto const x = static_cast<int>(i);
    auto const half = static_cast<int>(n / 2);
    all[0][i] = x;                            // sorted
    all[1][i] = -x;                           // reversed
    all[2][i] = 7;                            // all equal
    all[3][i] = x % 2 == 0 ? x : -x;          // two interleaved runs
    all[4][i] = x < half ? x + 10'000 : x;    // two blocks in the wrong order
    all[5][i] = x % 17;                       // saw
    all[6][i] = x < half ? x : 2 * half - x;  // organ pipe
    all[7][i] = x == 0 ? 1e9 : x;             // one out of place
  }
  return all;
}

TEST(sort, inputs_with_a_shape_take_n_log_n_comparisons) {
  on_every_here([](auto& here) {
    constexpr std::size_t n = 5003;
    for (std::vector<double>& data : shapes(n)) {
      std::vector<double> expected = data;
      std::sort(expected.begin(), expected.end());
      std::size_t comparisons = 0;
      auto const counting = [&](double a, double b) {
        ++comparisons;
        return a < b;
      };
      sort(here, data, counting, grain{64});
      EXPECT_EQ(data, expected);
      EXPECT_LT(static_cast<double>(comparisons), 2.2 * static_cast<double>(n) * std::log2(n))
          << "pivots near the middle";
    }
  });
}

/// What equals a pivot is left out of what follows (quick_sort.hpp).
TEST(sort, few_different_keys_take_a_few_comparisons_each) {
  for (std::uint32_t const keys : {2U, 3U, 8U}) {
    for (grain const most : {grain{100'000}, grain{64}}) {
      constexpr std::size_t n = 20'000;
      std::vector<int> const drawn = testing::numbers(n, keys, keys);
      std::vector<double> data(drawn.begin(), drawn.end());
      std::size_t comparisons = 0;
      auto const counting = [&](double a, double b) {
        ++comparisons;
        return a < b;
      };
      serial here;
      sort(here, data, counting, most);
      EXPECT_TRUE(std::ranges::is_sorted(data));
      EXPECT_LT(comparisons, n * (2 * std::bit_width(keys) + 2)) << keys << " keys";
    }
  }
}

/// With many equal keys a bucket comes that is larger than a cache and has one value: it is done, wherever it lies.
TYPED_TEST(sort_of_integers, of_few_values_that_fill_more_than_a_cache) {
  on_every_here([](auto& here) {
    constexpr std::size_t n = 3 * (262'144 / sizeof(TypeParam)) + 1;
    for (std::uint64_t const mask : {std::uint64_t{1}, std::uint64_t{0x41}}) {
      std::vector<TypeParam> data = random_values<TypeParam>(n, mask, mask);
      auto const first = static_cast<std::size_t>(std::ranges::count(data, data.front()));
      TypeParam const value = data.front();
      sort(here, data);
      EXPECT_TRUE(std::ranges::is_sorted(data)) << "mask " << mask;
      EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(data, value)), first);
    }
  });
}

TEST(pivots, are_the_median_of_three_and_of_three_medians) {
  std::less<> less;
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < 3; ++b) {
      for (int c = 0; c < 3; ++c) {
        int const three[] = {a, b, c};
        int const* const median = median_of(&three[0], &three[1], &three[2], less);
        int sorted[] = {a, b, c};
        std::ranges::sort(sorted);
        EXPECT_EQ(*median, sorted[1]) << a << b << c;
      }
    }
  }
  for (std::size_t n = 3; n < 400; ++n) {
    std::vector<int> const drawn = testing::numbers(n, n);
    auto const at = [&](std::size_t i) { return drawn[i]; };
    auto const middle_of = [](int x, int y, int z) { return std::max(std::min(x, y), std::min(std::max(x, y), z)); };
    std::size_t const e = n / 8;
    int const expected = n < 128
                             ? middle_of(at(0), at(n / 2), at(n - 1))
                             : middle_of(middle_of(at(0), at(e), at(2 * e)), middle_of(at(3 * e), at(4 * e), at(5 * e)),
                                         middle_of(at(6 * e), at(7 * e), at(n - 1)));
    EXPECT_EQ(*pivot_of(drawn.begin(), drawn.end(), less), expected) << n;
  }
}

/// Answers comparisons so that every pivot turns out to be nearly the smallest. [McIlroy 1999]
class adversary {
 public:
  /// The first two are in the wrong order, so that a look at the whole sequence ends with them.
  explicit adversary(std::size_t n) : value_(n, gas) {
    value_[0] = 1;
    value_[1] = 0;
  }
  bool less(std::size_t a, std::size_t b) {
    ++comparisons_;
    if (value_[a] == gas && value_[b] == gas) value_[a == candidate_ ? a : b] = frozen_++;
    if (value_[a] == gas) {
      candidate_ = a;
    } else if (value_[b] == gas) {
      candidate_ = b;
    }
    return value_[a] < value_[b];
  }
  [[nodiscard]] std::size_t comparisons() const { return comparisons_; }

 private:
  static constexpr std::size_t gas = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> value_;
  std::size_t frozen_ = 2;
  std::size_t candidate_ = 0;
  std::size_t comparisons_ = 0;
};

TEST(sort, an_adversary_gets_n_log_n_comparisons) {
  on_every_here([](auto& here) {
    constexpr std::size_t n = 20'000;
    adversary bad(n);
    std::vector<std::size_t> data(n);
    for (std::size_t i = 0; i < n; ++i) data[i] = i;
    auto const less = [&](std::size_t a, std::size_t b) { return bad.less(a, b); };
    sort(here, data, less, grain{64});
    EXPECT_TRUE(std::is_sorted(data.begin(), data.end(), less));
    EXPECT_LT(static_cast<double>(bad.comparisons()), 8 * static_cast<double>(n) * std::log2(n));
  });
}

}}}}  // namespace skua::v0::runtime
