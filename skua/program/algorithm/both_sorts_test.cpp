// SPDX-License-Identifier: MIT
// What `sort` and `stable_sort` both promise.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include "skua/program/algorithm/here_test.hpp"
#include "skua/program/algorithm/sort.hpp"
#include "skua/program/algorithm/stable_sort.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

using testing::on_every_here;

struct unstable {
  static void sort(auto& here, auto&&... args) { runtime::sort(here, std::forward<decltype(args)>(args)...); }
};
struct stable {
  static void sort(auto& here, auto&&... args) { runtime::stable_sort(here, std::forward<decltype(args)>(args)...); }
};

template <class Sort>
class both_sorts : public ::testing::Test {};
using sorts = ::testing::Types<unstable, stable>;
TYPED_TEST_SUITE(both_sorts, sorts);

TYPED_TEST(both_sorts, elements_that_only_move_and_iterators_that_are_not_pointers) {
  on_every_here([](auto& here) {
    std::deque<std::unique_ptr<int>> data;
    for (int x : testing::numbers(3001, 5)) data.push_back(std::make_unique<int>(x));
    auto by_value = [](std::unique_ptr<int> const& a, std::unique_ptr<int> const& b) { return *a < *b; };
    TypeParam::sort(here, data.begin(), data.end(), by_value, grain{50});
    EXPECT_TRUE(std::is_sorted(data.begin(), data.end(), by_value));

    std::deque<int> numbers;
    for (int x : testing::numbers(3001, 7)) numbers.push_back(x);
    TypeParam::sort(here, numbers);
    EXPECT_TRUE(std::ranges::is_sorted(numbers));

    std::vector<std::string> words;
    for (int x : testing::numbers(3001, 6)) words.push_back("a string too long for its object " + std::to_string(x));
    TypeParam::sort(here, words, std::greater<>{});
    EXPECT_TRUE(std::ranges::is_sorted(words, std::greater<>{}));
  });
}

TYPED_TEST(both_sorts, a_throwing_comparison_leaves_valid_elements_and_no_leak) {
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
        TypeParam::sort(here, data, less, grain{20});
        EXPECT_TRUE(std::is_sorted(data.begin(), data.end()));
      } catch (std::runtime_error const&) {}
      blown = burn.blown();
      ASSERT_EQ(testing::counted::living(), before) << "k " << k;
    }
  });
}

TYPED_TEST(both_sorts, strings_stay_valid_when_a_comparison_throws) {
  on_every_here([](auto& here) {
    for (long k : {1L, 100L, 1500L, 4000L}) {
      std::vector<std::string> data;
      for (int x : testing::numbers(600, 4)) data.push_back("a string too long for its object " + std::to_string(x));
      testing::fuse burn{k};
      auto less = [&](std::string const& a, std::string const& b) {
        burn();
        return a < b;
      };
      EXPECT_THROW(TypeParam::sort(here, data, less, grain{20}), std::runtime_error);
      for (std::string& s : data) s.assign(100, 'x');
      EXPECT_EQ(data[599], std::string(100, 'x'));
    }
  });
}

TYPED_TEST(both_sorts, a_stop_is_reported) {
  on_every_here([](auto& here) {
    std::stop_source stop;
    std::vector<int> data = testing::numbers(5000, 1);
    auto less = [&](int a, int b) {
      stop.request_stop();
      return a < b;
    };
    EXPECT_THROW(here.with_stop(stop.get_token(), [&](auto& h) { TypeParam::sort(h, data, less, grain{64}); }),
                 cancelled);
    EXPECT_EQ(data.size(), 5000U);
    EXPECT_THROW(here.with_stop(stop.get_token(), [&](auto& h) { TypeParam::sort(h, data); }), cancelled);
  });
}

TYPED_TEST(both_sorts, an_order_that_contradicts_itself_stays_inside_the_range) {
  on_every_here([](auto& here) {
    for (auto const& [seed, n] : {std::pair<std::uint64_t, std::size_t>{4, 3001}, {11, 3000}}) {
      dice d{seed};
      std::vector<int> data = testing::numbers(n, 2);
      std::vector<int> before = data;
      TypeParam::sort(here, data, [&](int, int) { return d.below(2) == 0; }, grain{16});
      std::ranges::sort(data);
      std::ranges::sort(before);
      EXPECT_EQ(data, before) << "seed " << seed;
    }
  });
}

}}}}  // namespace skua::v0::runtime
