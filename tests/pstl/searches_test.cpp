// SPDX-License-Identifier: MIT
// The standard's parallel algorithms that read, on Skua: each gives the serial answer.
#include <execution>  // that of skua/onetbb, which chooses the backend itself
//
#include "tests/pstl/cases.hpp"
//
#include <functional>
#include <numeric>
#include <utility>

namespace skua { inline namespace v0 { namespace {

using skua::testing::drawn;
using skua::testing::in_all_cases;
using skua::testing::ints;

TEST(pstl_searches, single_elements_are_found_and_counted) {
  in_all_cases([](auto const& par, std::size_t n, std::uint32_t seed) {
    ints const a = drawn(n, 1000, seed);
    auto const b = a.begin();
    auto const e = a.end();
    for (int const wanted : {0, 999, 1001, -1}) {
      auto const is = [wanted](int x) { return x == wanted; };
      EXPECT_EQ(std::find(par, b, e, wanted), std::find(b, e, wanted));
      EXPECT_EQ(std::find_if(par, b, e, is), std::find_if(b, e, is));
      EXPECT_EQ(std::find_if_not(par, b, e, is), std::find_if_not(b, e, is));
      EXPECT_EQ(std::count(par, b, e, wanted), std::count(b, e, wanted));
      EXPECT_EQ(std::count_if(par, b, e, is), std::count_if(b, e, is));
      EXPECT_EQ(std::all_of(par, b, e, is), std::all_of(b, e, is));
      EXPECT_EQ(std::any_of(par, b, e, is), std::any_of(b, e, is));
      EXPECT_EQ(std::none_of(par, b, e, is), std::none_of(b, e, is));
    }
  });
}

TEST(pstl_searches, subsequences_are_found_where_they_begin) {
  in_all_cases([](auto const& par, std::size_t n, std::uint32_t seed) {
    ints const a = drawn(n, 20, seed);
    ints const wanted = drawn(3, 20, seed + 5);
    auto const b = a.begin();
    auto const e = a.end();
    EXPECT_EQ(std::search(par, b, e, wanted.begin(), wanted.end()), std::search(b, e, wanted.begin(), wanted.end()));
    EXPECT_EQ(std::find_end(par, b, e, wanted.begin(), wanted.end()),
              std::find_end(b, e, wanted.begin(), wanted.end()));
    EXPECT_EQ(std::find_first_of(par, b, e, wanted.begin(), wanted.end()),
              std::find_first_of(b, e, wanted.begin(), wanted.end()));
    EXPECT_EQ(std::search_n(par, b, e, 2, 3), std::search_n(b, e, 2, 3));
    EXPECT_EQ(std::adjacent_find(par, b, e), std::adjacent_find(b, e));
  });
}

TEST(pstl_searches, extremes_are_the_first_ones) {
  in_all_cases([](auto const& par, std::size_t n, std::uint32_t seed) {
    ints const a = drawn(n, 1000, seed);
    auto const b = a.begin();
    auto const e = a.end();
    EXPECT_EQ(std::min_element(par, b, e), std::min_element(b, e));
    EXPECT_EQ(std::max_element(par, b, e), std::max_element(b, e));
    EXPECT_EQ(std::minmax_element(par, b, e), std::minmax_element(b, e));
    EXPECT_EQ(std::max_element(par, b, e, std::greater<>()), std::max_element(b, e, std::greater<>()));
  });
}

TEST(pstl_searches, two_ranges_are_compared_to_their_ends) {
  in_all_cases([](auto const& par, std::size_t n, std::uint32_t seed) {
    ints const a = drawn(n, 1000, seed);
    for (std::size_t const changed : {std::size_t{0}, n / 2, n - (n > 0), n}) {
      ints c = a;
      if (changed < n) ++c[changed];
      EXPECT_EQ(std::equal(par, a.begin(), a.end(), c.begin()), a == c);
      EXPECT_EQ(std::equal(par, a.begin(), a.end(), c.begin(), c.end()), a == c);
      EXPECT_EQ(std::mismatch(par, a.begin(), a.end(), c.begin(), c.end()),
                std::mismatch(a.begin(), a.end(), c.begin(), c.end()));
      EXPECT_EQ(std::lexicographical_compare(par, a.begin(), a.end(), c.begin(), c.end()), a < c);
      EXPECT_EQ(std::lexicographical_compare(par, c.begin(), c.end(), a.begin(), a.end()), c < a);
    }
  });
}

TEST(pstl_searches, properties_are_seen_in_whole_ranges) {
  in_all_cases([](auto const& par, std::size_t n, std::uint32_t seed) {
    ints a = drawn(n, 1000, seed);
    auto const small = [](int x) { return x < 500; };
    for (int round = 0; round < 4; ++round) {
      if (round == 1) std::sort(a.begin(), a.end());
      if (round == 2) std::make_heap(a.begin(), a.end());
      if (round == 3 && n > 0) a[n - 1] = 2000;
      EXPECT_EQ(std::is_sorted(par, a.begin(), a.end()), std::is_sorted(a.begin(), a.end()));
      EXPECT_EQ(std::is_sorted_until(par, a.begin(), a.end()), std::is_sorted_until(a.begin(), a.end()));
      EXPECT_EQ(std::is_heap(par, a.begin(), a.end()), std::is_heap(a.begin(), a.end()));
      EXPECT_EQ(std::is_heap_until(par, a.begin(), a.end()), std::is_heap_until(a.begin(), a.end()));
      EXPECT_EQ(std::is_partitioned(par, a.begin(), a.end(), small), std::is_partitioned(a.begin(), a.end(), small));
    }
    ints some = drawn(n / 2, 1000, seed + 3);
    std::sort(a.begin(), a.end());
    std::sort(some.begin(), some.end());
    EXPECT_EQ(std::includes(par, a.begin(), a.end(), some.begin(), some.end()),
              std::includes(a.begin(), a.end(), some.begin(), some.end()));
    ints every_other;
    for (std::size_t i = 0; i < n; i += 2) every_other.push_back(a[i]);
    EXPECT_TRUE(std::includes(par, a.begin(), a.end(), every_other.begin(), every_other.end()));
  });
}

}}}  // namespace skua::v0
