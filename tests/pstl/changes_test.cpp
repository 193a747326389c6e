// SPDX-License-Identifier: MIT
// The standard's parallel algorithms that write, on Skua: each gives the serial answer.
#include "tests/pstl/cases.hpp"
//
#include <memory>
#include <numeric>
#include <string>

namespace skua { inline namespace v0 { namespace {

using skua::testing::drawn;
using skua::testing::in_all_cases;
using skua::testing::ints;

bool even(int x) { return x % 2 == 0; }

/// Two answers of change(policy, range), which returns the new end, are the same: up to that end, if `part`.
template <class Policy, class Change>
void same(Policy const& par, ints const& a, Change const& change) {
  ints expected = a;
  ints got = a;
  auto const expected_end = change(std::execution::seq, expected) - expected.begin();
  auto const got_end = change(par, got) - got.begin();
  ASSERT_EQ(got_end, expected_end);
  EXPECT_TRUE(std::equal(got.begin(), got.begin() + got_end, expected.begin()));
}

TEST(pstl_changes, each_element_is_changed_once) {
  in_all_cases([](auto const& par, std::size_t n, std::uint32_t seed) {
    ints const a = drawn(n, 9, seed);
    auto const whole = [&](auto const& change) {
      same(par, a, [&](auto const& p, ints& x) {
        change(p, x);
        return x.end();
      });
    };
    whole([](auto const& p, ints& x) { std::for_each(p, x.begin(), x.end(), [](int& one) { one = 3 * one + 1; }); });
    whole([](auto const& p, ints& x) { std::for_each_n(p, x.begin(), x.size() / 2, [](int& one) { one = -one; }); });
    whole([](auto const& p, ints& x) { std::fill(p, x.begin(), x.end(), 4); });
    whole([](auto const& p, ints& x) { std::fill_n(p, x.begin(), x.size() / 2, 5); });
    whole([](auto const& p, ints& x) { std::generate(p, x.begin(), x.end(), [] { return 6; }); });
    whole([](auto const& p, ints& x) { std::generate_n(p, x.begin(), x.size() / 2, [] { return 7; }); });
    whole([](auto const& p, ints& x) { std::replace(p, x.begin(), x.end(), 3, 30); });
    whole([](auto const& p, ints& x) { std::replace_if(p, x.begin(), x.end(), even, 20); });
    whole(
        [](auto const& p, ints& x) { std::transform(p, x.begin(), x.end(), x.begin(), [](int i) { return i * i; }); });
    whole([](auto const& p, ints& x) {
      std::transform(p, x.begin(), x.end(), x.begin(), x.begin(), [](int i, int j) { return i * j + 1; });
    });
    whole([](auto const& p, ints& x) {
      auto const half = static_cast<std::ptrdiff_t>(x.size() / 2);
      std::swap_ranges(p, x.begin(), x.begin() + half, x.begin() + half);
    });
    whole([](auto const& p, ints& x) { std::reverse(p, x.begin(), x.end()); });
  });
}

TEST(pstl_changes, copies_are_the_serial_ones) {
  in_all_cases([](auto const& par, std::size_t n, std::uint32_t seed) {
    ints const a = drawn(n, 9, seed);
    auto const into = [&](auto const& copy) {
      same(par, ints(n, -1), [&](auto const& p, ints& x) { return copy(p, x.begin()); });
    };
    into([&](auto const& p, auto to) { return std::copy(p, a.begin(), a.end(), to); });
    into([&](auto const& p, auto to) { return std::copy_n(p, a.begin(), n / 2, to); });
    into([&](auto const& p, auto to) { return std::copy_if(p, a.begin(), a.end(), to, even); });
    into([&](auto const& p, auto to) { return std::move(p, a.begin(), a.end(), to); });
    into([&](auto const& p, auto to) { return std::remove_copy(p, a.begin(), a.end(), to, 3); });
    into([&](auto const& p, auto to) { return std::remove_copy_if(p, a.begin(), a.end(), to, even); });
    into([&](auto const& p, auto to) { return std::replace_copy(p, a.begin(), a.end(), to, 3, 30); });
    into([&](auto const& p, auto to) { return std::replace_copy_if(p, a.begin(), a.end(), to, even, 20); });
    into([&](auto const& p, auto to) { return std::reverse_copy(p, a.begin(), a.end(), to); });
    into([&](auto const& p, auto to) { return std::unique_copy(p, a.begin(), a.end(), to); });
    into([&](auto const& p, auto to) {
      return std::rotate_copy(p, a.begin(), a.begin() + static_cast<std::ptrdiff_t>(n / 3), a.end(), to);
    });
    ints rejected(n, -1);
    into([&](auto const& p, auto to) {
      auto const ends = std::partition_copy(p, a.begin(), a.end(), to, rejected.begin(), even);
      EXPECT_EQ(ends.second - rejected.begin(), std::count_if(a.begin(), a.end(), [](int x) { return !even(x); }));
      return ends.first;
    });
  });
}

TEST(pstl_changes, elements_move_to_the_same_places) {
  in_all_cases([](auto const& par, std::size_t n, std::uint32_t seed) {
    ints const a = drawn(n, 9, seed);
    same(par, a, [](auto const& p, ints& x) { return std::remove(p, x.begin(), x.end(), 3); });
    same(par, a, [](auto const& p, ints& x) { return std::remove_if(p, x.begin(), x.end(), even); });
    same(par, a, [](auto const& p, ints& x) { return std::unique(p, x.begin(), x.end()); });
    for (std::size_t const k : {std::size_t{0}, n / 4, n / 2, n - n / 4, n})
      same(par, a, [k](auto const& p, ints& x) {
        std::rotate(p, x.begin(), x.begin() + static_cast<std::ptrdiff_t>(k), x.end());
        return x.end();
      });
    same(par, a, [](auto const& p, ints& x) {
      std::stable_partition(p, x.begin(), x.end(), even);
      return x.end();
    });
    ints got = a;
    auto const border = std::partition(par, got.begin(), got.end(), even);
    EXPECT_TRUE(std::all_of(got.begin(), border, even));
    EXPECT_TRUE(std::none_of(border, got.end(), even));
    ints expected = a;
    std::sort(got.begin(), got.end());
    std::sort(expected.begin(), expected.end());
    EXPECT_TRUE(got == expected);
  });
}

TEST(pstl_changes, memory_is_filled_with_elements) {
  in_all_cases([](auto const& par, std::size_t n, std::uint32_t seed) {
    std::vector<std::string> source;
    for (int const x : drawn(n, 1000, seed)) source.push_back(std::to_string(x) + " and more than fits inside");
    std::allocator<std::string> memory;
    std::string* const b = memory.allocate(n + 1);
    std::string* const e = b + n;
    std::uninitialized_copy(par, source.begin(), source.end(), b);
    EXPECT_TRUE(std::equal(b, e, source.begin()));
    std::destroy(par, b, e);
    std::uninitialized_copy_n(par, source.begin(), n, b);
    EXPECT_TRUE(std::equal(b, e, source.begin()));
    std::destroy_n(par, b, n);
    std::uninitialized_fill(par, b, e, "all the same, and more than fits inside");
    EXPECT_TRUE(std::all_of(b, e, [](auto const& s) { return s == "all the same, and more than fits inside"; }));
    std::destroy(par, b, e);
    std::uninitialized_value_construct(par, b, e);
    EXPECT_TRUE(std::all_of(b, e, [](auto const& s) { return s.empty(); }));
    std::destroy(par, b, e);
    std::uninitialized_default_construct_n(par, b, n);
    std::destroy(par, b, e);
    auto taken = source;
    std::uninitialized_move(par, taken.begin(), taken.end(), b);
    EXPECT_TRUE(std::equal(b, e, source.begin()));
    std::destroy(par, b, e);
    memory.deallocate(b, n + 1);
  });
}

}}}  // namespace skua::v0
