// SPDX-License-Identifier: MIT
#include "skua/program/algorithm/stable_sort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <vector>

#include "skua/program/algorithm/here_test.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

using testing::on_every_here;

/// Few different keys; `born` tells equal ones apart.
struct item {
  int key;
  std::size_t born;
  friend bool operator==(item const&, item const&) = default;
};
constexpr auto by_key = [](item const& a, item const& b) { return a.key < b.key; };
/// The result of a stable sort by key.
constexpr auto by_key_and_birth = [](item const& a, item const& b) {
  return a.key != b.key ? a.key < b.key : a.born < b.born;
};

std::vector<item> items(std::size_t n, std::uint64_t seed) {
  std::vector<int> const keys = testing::numbers(n, seed, static_cast<std::uint32_t>(n / 3 + 1));
  std::vector<item> all(n);
  for (std::size_t i = 0; i < n; ++i) all[i] = {keys[i], i};
  return all;
}

TEST(stable_sort, is_stable_and_complete) {
  on_every_here([](auto& here) {
    for (std::size_t n : testing::sizes) {
      for (std::size_t g : testing::grains) {
        std::vector<item> data = items(n, n + g);
        std::vector<item> expected = data;
        std::sort(expected.begin(), expected.end(), by_key_and_birth);
        stable_sort(here, data, by_key, grain{g});
        ASSERT_EQ(data, expected) << "n " << n << " grain " << g;
      }
    }
  });
}

TEST(stable_sort, inputs_with_a_shape) {
  on_every_here([](auto& here) {
    constexpr std::size_t n = 5003;
    std::vector<std::vector<int>> shapes(6, std::vector<int>(n));
    for (std::size_t i = 0; i < n; ++i) {
      int const x = static_cast<int>(i);
      shapes[0][i] = x;                          // sorted
      shapes[1][i] = -x;                         // reversed
      shapes[2][i] = 7;                          // all equal
      shapes[3][i] = x % 2 == 0 ? x : -x;        // two interleaved runs
      shapes[4][i] = x < 2500 ? x + 10'000 : x;  // two blocks in the wrong order
      shapes[5][i] = x % 17;                     // saw
    }
    for (std::vector<int>& data : shapes) {
      std::vector<int> expected = data;
      std::sort(expected.begin(), expected.end());
      stable_sort(here, data, std::less<>{}, grain{64});
      EXPECT_EQ(data, expected);
    }
  });
}

TEST(merge, of_runs_that_are_in_order_already_costs_one_comparison) {
  std::vector<int> const low{1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<int> const high{8, 9, 10, 11};
  std::vector<int> out(12);
  std::size_t comparisons = 0;
  serial here;
  merge(here, low, high, out.begin(), [&](int a, int b) { return ++comparisons, a < b; });
  EXPECT_EQ(comparisons, 1U);
  EXPECT_TRUE(std::ranges::is_sorted(out));
}

TEST(merge, equals_std_merge_even_among_equals) {
  on_every_here([](auto& here) {
    for (std::size_t n : testing::sizes) {
      for (std::size_t m : {std::size_t{0}, std::size_t{1}, std::size_t{100}, n}) {
        std::vector<item> a = items(n, n);
        std::vector<item> b = items(m, m + 1);
        for (item& x : b) x.born += n;
        std::sort(a.begin(), a.end(), by_key_and_birth);
        std::sort(b.begin(), b.end(), by_key_and_birth);
        std::vector<item> expected(n + m);
        std::merge(a.begin(), a.end(), b.begin(), b.end(), expected.begin(), by_key);
        for (std::size_t g : testing::grains) {
          std::vector<item> out(n + m);
          EXPECT_EQ(merge(here, a, b, out.begin(), by_key, grain{g}), out.end());
          ASSERT_EQ(out, expected) << "n " << n << " m " << m << " grain " << g;
        }
      }
    }
  });
}

/// Counts those that live. Moves that make an object throw when `left` says so.
struct fragile {
  explicit fragile(int v) : value(v) { ++alive; }
  fragile(fragile&& o) : value(o.value) {
    if (left >= 0 && left-- == 0) throw std::runtime_error("a move");
    ++alive;
  }
  fragile& operator=(fragile&&) noexcept = default;
  ~fragile() { --alive; }
  friend bool operator<(fragile const& a, fragile const& b) noexcept { return a.value < b.value; }
  int value;
  static inline long alive = 0;
  static inline long left = -1;
};

TEST(stable_sort, leaves_nothing_behind_where_a_move_throws) {
  constexpr int n = 60;
  bool done = false;
  for (long k = 0; !done; ++k) {
    std::vector<fragile> data;
    data.reserve(n);
    for (int i = 0; i < n; ++i) data.emplace_back(i * 7 % n);
    serial here;
    fragile::left = k;
    try {
      stable_sort(here, data, std::less<>{}, grain{8});
      done = fragile::left >= 0;
    } catch (std::runtime_error const&) {}
    fragile::left = -1;
    EXPECT_EQ(fragile::alive, n) << k;
  }
}

}}}}  // namespace skua::v0::runtime
