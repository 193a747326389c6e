// SPDX-License-Identifier: MIT
#include "skua/program/algorithm/stable_sort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <string>

#include "skua/program/algorithm/here_test.hpp"

namespace skua::inline v0::runtime {
namespace {

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

TEST(stable_sort, elements_that_only_move_and_iterators_that_are_not_pointers) {
  on_every_here([](auto& here) {
    std::deque<std::unique_ptr<int>> data;
    for (int x : testing::numbers(3001, 5)) data.push_back(std::make_unique<int>(x));
    auto by_value = [](std::unique_ptr<int> const& a, std::unique_ptr<int> const& b) { return *a < *b; };
    stable_sort(here, data.begin(), data.end(), by_value, grain{50});
    EXPECT_TRUE(std::is_sorted(data.begin(), data.end(), by_value));

    std::vector<std::string> words;
    for (int x : testing::numbers(3001, 6)) words.push_back("a string too long for its object " + std::to_string(x));
    stable_sort(here, words, std::greater<>{});
    EXPECT_TRUE(std::ranges::is_sorted(words, std::greater<>{}));
  });
}

TEST(stable_sort, a_throwing_comparison_leaves_valid_elements_and_no_leak) {
  on_every_here([](auto& here) {
    bool blown = true;
    for (long k = 1; blown; k = k * 5 / 4 + 1) {
      std::vector<testing::counted> data;
      for (int x : testing::numbers(300, 3)) data.emplace_back(x);
      long const before = testing::counted::living();
      testing::fuse burn{k};
      auto less = [&](testing::counted const& a, testing::counted const& b) {
        burn();
        return a < b;
      };
      try {
        stable_sort(here, data, less, grain{20});
        EXPECT_TRUE(std::is_sorted(data.begin(), data.end()));
      } catch (std::runtime_error const&) {}
      blown = burn.blown();
      ASSERT_EQ(testing::counted::living(), before) << "k " << k;
    }
  });
}

TEST(stable_sort, strings_stay_valid_when_a_comparison_throws) {
  on_every_here([](auto& here) {
    for (long k : {1L, 100L, 1500L, 4000L}) {
      std::vector<std::string> data;
      for (int x : testing::numbers(600, 4)) data.push_back("a string too long for its object " + std::to_string(x));
      testing::fuse burn{k};
      auto less = [&](std::string const& a, std::string const& b) {
        burn();
        return a < b;
      };
      EXPECT_THROW(stable_sort(here, data, less, grain{20}), std::runtime_error);
      for (std::string& s : data) s.assign(100, 'x');
      EXPECT_EQ(data[599], std::string(100, 'x'));
    }
  });
}

TEST(stable_sort, a_stop_is_reported) {
  on_every_here([](auto& here) {
    std::stop_source stop;
    std::vector<int> data = testing::numbers(5000, 1);
    auto less = [&](int a, int b) {
      stop.request_stop();
      return a < b;
    };
    EXPECT_THROW(here.with_stop(stop.get_token(), [&](auto& h) { stable_sort(h, data, less, grain{64}); }), cancelled);
    EXPECT_EQ(data.size(), 5000U);
  });
}

TEST(stable_sort, an_order_that_contradicts_itself_stays_inside_the_range) {
  on_every_here([](auto& here) {
    dice d{11};
    std::vector<int> data = testing::numbers(3000, 2);
    std::vector<int> before = data;
    stable_sort(here, data, [&](int, int) { return d.below(2) == 0; }, grain{16});
    std::ranges::sort(data);
    std::ranges::sort(before);
    EXPECT_EQ(data, before);
  });
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

}  // namespace
}  // namespace skua::inline v0::runtime
