// SPDX-License-Identifier: MIT
// The standard's parallel reductions and prefix sums, on Skua: each gives the serial answer.
#include "tests/pstl/cases.hpp"
//
#include <atomic>
#include <functional>
#include <numeric>
#include <thread>

namespace skua { inline namespace v0 { namespace {

using skua::testing::drawn;
using skua::testing::in_all_cases;
using skua::testing::ints;

/// x -> a x + b modulo 2^32. To compose two is associative and does not commute.
struct affine {
  std::uint32_t a = 1;
  std::uint32_t b = 0;
  friend bool operator==(affine const&, affine const&) = default;
};
affine after(affine const& first, affine const& second) { return {first.a * second.a, first.b * second.a + second.b}; }
affine of(int x) { return {static_cast<std::uint32_t>(2 * x + 1), static_cast<std::uint32_t>(x)}; }

std::vector<affine> maps(std::size_t n, std::uint32_t seed) {
  std::vector<affine> all;
  for (int const x : drawn(n, 1000, seed)) all.push_back(of(x));
  return all;
}

TEST(pstl_numeric, reductions_are_the_serial_ones) {
  in_all_cases([](auto const& par, std::size_t n, std::uint32_t seed) {
    ints const a = drawn(n, 1000, seed);
    ints const b = drawn(n, 1000, seed + 1);
    EXPECT_EQ(std::reduce(par, a.begin(), a.end()), std::accumulate(a.begin(), a.end(), 0));
    EXPECT_EQ(std::reduce(par, a.begin(), a.end(), 5L), std::accumulate(a.begin(), a.end(), 5L));
    EXPECT_EQ(std::reduce(par, a.begin(), a.end(), 7, std::bit_xor<>()),
              std::accumulate(a.begin(), a.end(), 7, std::bit_xor<>()));
    EXPECT_EQ(std::transform_reduce(par, a.begin(), a.end(), b.begin(), 3L, std::plus<>(), std::multiplies<>()),
              std::inner_product(a.begin(), a.end(), b.begin(), 3L));
    auto const square = [](int x) { return static_cast<long>(x) * x; };
    EXPECT_EQ(std::transform_reduce(par, a.begin(), a.end(), 3L, std::plus<>(), square),
              std::transform_reduce(a.begin(), a.end(), 3L, std::plus<>(), square));
  });
}

/// A sum that is no element, and is made of two elements or more.
struct total {
  total(int first, int second) : sum(long{first} + second), count(2) {}
  total(long s, long c) : sum(s), count(c) {}
  long sum;
  long count;
};
struct add {
  total operator()(int x, int y) const { return {x, y}; }
  total operator()(total const& t, int y) const { return {t.sum + y, t.count + 1}; }
  total operator()(int x, total const& t) const { return {t.sum + x, t.count + 1}; }
  total operator()(total const& s, total const& t) const { return {s.sum + t.sum, s.count + t.count}; }
};

TEST(pstl_numeric, a_sum_need_not_be_made_of_one_element) {
  in_all_cases([](auto const& par, std::size_t n, std::uint32_t seed) {
    ints const a = drawn(n, 1000, seed);
    total const got = std::reduce(par, a.begin(), a.end(), total(0L, 0L), add());
    EXPECT_EQ(got.sum, std::accumulate(a.begin(), a.end(), 0L));
    EXPECT_EQ(got.count, static_cast<long>(n));
  });
}

TEST(pstl_numeric, prefix_sums_keep_the_order) {
  in_all_cases([](auto const& par, std::size_t n, std::uint32_t seed) {
    std::vector<affine> const a = maps(n, seed);
    std::vector<affine> expected(n);
    std::vector<affine> got(n);
    affine const init{3, 4};
    std::inclusive_scan(a.begin(), a.end(), expected.begin(), after, init);
    EXPECT_EQ(std::inclusive_scan(par, a.begin(), a.end(), got.begin(), after, init), got.end());
    EXPECT_EQ(got, expected);
    std::exclusive_scan(a.begin(), a.end(), expected.begin(), init, after);
    EXPECT_EQ(std::exclusive_scan(par, a.begin(), a.end(), got.begin(), init, after), got.end());
    EXPECT_EQ(got, expected);
    ints const x = drawn(n, 1000, seed + 9);
    std::transform_inclusive_scan(x.begin(), x.end(), expected.begin(), after, of, init);
    std::transform_inclusive_scan(par, x.begin(), x.end(), got.begin(), after, of, init);
    EXPECT_EQ(got, expected);
    std::transform_exclusive_scan(x.begin(), x.end(), expected.begin(), init, after, of);
    std::transform_exclusive_scan(par, x.begin(), x.end(), got.begin(), init, after, of);
    EXPECT_EQ(got, expected);
    got = a;  // in place
    std::inclusive_scan(a.begin(), a.end(), expected.begin(), after);
    std::inclusive_scan(par, got.begin(), got.end(), got.begin(), after);
    EXPECT_EQ(got, expected);
  });
}

TEST(pstl_numeric, prefix_sums_of_floating_point_numbers) {
  in_all_cases([](auto const& par, std::size_t n, std::uint32_t seed) {
    ints const whole = drawn(n, 1000, seed);
    std::vector<double> const a(whole.begin(), whole.end());  // sums are exact
    std::vector<double> expected(n);
    std::vector<double> got(n);
    std::inclusive_scan(a.begin(), a.end(), expected.begin());
    std::inclusive_scan(par, a.begin(), a.end(), got.begin());
    EXPECT_EQ(got, expected);
    std::exclusive_scan(a.begin(), a.end(), expected.begin(), 5.0);
    std::exclusive_scan(par, a.begin(), a.end(), got.begin(), 5.0);
    EXPECT_EQ(got, expected);
    std::adjacent_difference(a.begin(), a.end(), expected.begin());
    std::adjacent_difference(par, a.begin(), a.end(), got.begin());
    EXPECT_EQ(got, expected);
  });
}

TEST(pstl_numeric, several_workers_share_a_prefix_sum) {
  // The functions of two pieces wait for each other: a serial scan would end the wait at its limit.
  pool two({.workers = 2});
  constexpr int n = 1 << 16;
  std::vector<int> const a(n, 1);
  std::vector<int> got(n);
  std::atomic<int> inside{0};
  std::atomic<bool> met{false};
  two.run([&](auto&) {
    std::inclusive_scan(
        std::execution::par, a.begin(), a.end(), got.begin(),
        [&](int x, int y) {
          if (!met.load(std::memory_order_relaxed)) {
            if (++inside > 1) met = true;
            for (int spin = 0; spin < 1000 && !met.load(); ++spin) std::this_thread::yield();
            --inside;
          }
          return x + y;
        },
        0);
  });
  EXPECT_TRUE(met);
  for (int i = 0; i < n; ++i) EXPECT_EQ(got[static_cast<std::size_t>(i)], i + 1);
}

}}}  // namespace skua::v0
