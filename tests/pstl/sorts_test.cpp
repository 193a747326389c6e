// SPDX-License-Identifier: MIT
// The standard's parallel sorts, merges and set operations, on Skua: each gives the serial answer.
#include "tests/pstl/cases.hpp"
//
#include <deque>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

namespace skua { inline namespace v0 { namespace {

using skua::testing::drawn;
using skua::testing::in_all_cases;
using skua::testing::ints;

template <class Container, class Policy, class Less = std::less<>>
void sorts(Policy const& par, Container const& unsorted, Less less = {}) {
  Container expected = unsorted;
  std::sort(expected.begin(), expected.end(), less);
  Container got = unsorted;
  std::sort(par, got.begin(), got.end(), less);
  EXPECT_TRUE(got == expected);
}

TEST(pstl_sorts, elements_of_many_types_are_sorted) {
  in_all_cases([](auto const& par, std::size_t n, std::uint32_t seed) {
    ints const a = drawn(n, 1'000'000, seed);
    sorts(par, a);
    sorts(par, a, std::greater<int>());
    sorts(par, a, [](int x, int y) { return x / 2 < y / 2 || (x / 2 == y / 2 && x < y); });
    sorts(par, std::vector<double>(a.begin(), a.end()));
    sorts(par, std::deque<int>(a.begin(), a.end()));
    std::vector<std::string> texts;
    for (int const x : a) texts.push_back(std::to_string(x) + " and more than fits inside");
    sorts(par, texts);
    ints same = a;
    std::sort(par, same.begin(), same.end());
    EXPECT_TRUE(std::is_sorted(same.begin(), same.end()));
  });
}

TEST(pstl_sorts, elements_may_be_move_only) {
  in_all_cases([](auto const& par, std::size_t n, std::uint32_t seed) {
    std::vector<std::unique_ptr<int>> all;
    ints expected = drawn(n, 1000, seed);
    for (int const x : expected) all.push_back(std::make_unique<int>(x));
    std::sort(par, all.begin(), all.end(), [](auto const& x, auto const& y) { return *x < *y; });
    std::sort(expected.begin(), expected.end());
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(*all[i], expected[i]);
  });
}

TEST(pstl_sorts, stable_sort_keeps_the_order_of_equal_elements) {
  in_all_cases([](auto const& par, std::size_t n, std::uint32_t seed) {
    std::vector<std::pair<int, int>> a;
    for (int const x : drawn(n, 30, seed)) a.emplace_back(x, static_cast<int>(a.size()));
    auto expected = a;
    std::sort(expected.begin(), expected.end());
    std::stable_sort(par, a.begin(), a.end(), [](auto const& x, auto const& y) { return x.first < y.first; });
    EXPECT_TRUE(a == expected);
  });
}

TEST(pstl_sorts, a_part_is_sorted_and_the_rest_kept) {
  in_all_cases([](auto const& par, std::size_t n, std::uint32_t seed) {
    ints const a = drawn(n, 100'000, seed);
    ints all = a;
    std::sort(all.begin(), all.end());
    std::vector<std::string> texts;
    for (int const x : a) texts.push_back(std::to_string(100'000 + x) + " and more than fits inside");
    for (std::size_t const k : {std::size_t{0}, std::size_t{1}, n / 1000, n / 100, n / 10, n / 2, n - (n > 0), n}) {
      if (k > n) continue;
      auto const part = static_cast<std::ptrdiff_t>(k);
      ints got = a;
      std::partial_sort(par, got.begin(), got.begin() + part, got.end());
      EXPECT_TRUE(std::equal(got.begin(), got.begin() + part, all.begin())) << k << " smallest";
      std::sort(got.begin(), got.end());
      EXPECT_TRUE(got == all) << k << " smallest";
      std::vector<std::string> copied(k);
      auto const end = std::partial_sort_copy(par, texts.begin(), texts.end(), copied.begin(), copied.end());
      std::vector<std::string> expected(k);
      std::partial_sort_copy(texts.begin(), texts.end(), expected.begin(), expected.end());
      EXPECT_EQ(end, copied.begin() + part);
      EXPECT_TRUE(copied == expected) << k << " copied";
      if (k == n) continue;
      got = a;
      std::nth_element(par, got.begin(), got.begin() + part, got.end());
      EXPECT_EQ(got[k], all[k]);
    }
    ints longer(n + 5, -1);
    EXPECT_EQ(std::partial_sort_copy(par, a.begin(), a.end(), longer.begin(), longer.end()), longer.end() - 5);
    EXPECT_TRUE(std::equal(all.begin(), all.end(), longer.begin()));
  });
}

TEST(pstl_sorts, merges_keep_the_order_of_equal_elements) {
  in_all_cases([](auto const& par, std::size_t n, std::uint32_t seed) {
    using pairs = std::vector<std::pair<int, int>>;
    auto const by_first = [](auto const& x, auto const& y) { return x.first < y.first; };
    auto const sorted = [&](std::size_t count, int mark) {
      pairs some;
      for (int const x : drawn(count, 300, seed + static_cast<std::uint32_t>(mark))) some.emplace_back(x, mark);
      std::sort(some.begin(), some.end());
      return some;
    };
    for (std::size_t const other : {std::size_t{0}, std::size_t{1}, n / 3, n}) {
      pairs const a = sorted(n, 1);
      pairs const b = sorted(other, 2);
      pairs expected(n + other);
      pairs got(n + other);
      std::merge(a.begin(), a.end(), b.begin(), b.end(), expected.begin(), by_first);
      EXPECT_EQ(std::merge(par, a.begin(), a.end(), b.begin(), b.end(), got.begin(), by_first), got.end());
      EXPECT_TRUE(got == expected);
      got = a;
      got.insert(got.end(), b.begin(), b.end());
      std::inplace_merge(par, got.begin(), got.begin() + static_cast<std::ptrdiff_t>(n), got.end(), by_first);
      EXPECT_TRUE(got == expected);
    }
  });
}

TEST(pstl_sorts, set_operations_give_the_same_sets) {
  in_all_cases([](auto const& par, std::size_t n, std::uint32_t seed) {
    for (int const most : {10, 1'000'000}) {
      for (std::size_t const other : {std::size_t{0}, n / 3, n}) {
        ints a = drawn(n, most, seed);
        ints b = drawn(other, most, seed + 1);
        std::sort(a.begin(), a.end());
        std::sort(b.begin(), b.end());
        auto const agree = [&](auto const& operation) {
          ints expected(n + other);
          ints got(n + other);
          expected.erase(operation(std::execution::seq, a, b, expected.begin()), expected.end());
          got.erase(operation(par, a, b, got.begin()), got.end());
          EXPECT_TRUE(got == expected) << "most = " << most << ", other = " << other;
        };
        agree([](auto const& p, auto& x, auto& y, auto to) {
          return std::set_union(p, x.begin(), x.end(), y.begin(), y.end(), to);
        });
        agree([](auto const& p, auto& x, auto& y, auto to) {
          return std::set_intersection(p, x.begin(), x.end(), y.begin(), y.end(), to);
        });
        agree([](auto const& p, auto& x, auto& y, auto to) {
          return std::set_difference(p, x.begin(), x.end(), y.begin(), y.end(), to);
        });
        agree([](auto const& p, auto& x, auto& y, auto to) {
          return std::set_symmetric_difference(p, x.begin(), x.end(), y.begin(), y.end(), to);
        });
      }
    }
  });
}

}}}  // namespace skua::v0
