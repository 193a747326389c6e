// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <numeric>

#include "apps/cilksort/problem.hpp"
#include "skua/parts/base/dice.hpp"
#include "skua/program/serial.hpp"

namespace skua::apps::cilksort { namespace {

/// For keys of both widths.
template <class Key>
class cilksort_of : public ::testing::Test {
 protected:
  using keys = std::vector<Key>;

  static keys random_keys(std::size_t n, std::uint32_t different, runtime::dice& rolled) {
    keys all(n);
    for (Key& k : all) k = static_cast<Key>(rolled.below(different)) - static_cast<Key>(different / 2);
    return all;
  }
  static std::string wrong_in(keys const& k) { return wrong<Key>(k); }
};
using widths = ::testing::Types<std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(cilksort_of, widths);

TYPED_TEST(cilksort_of, sorts_what_std_sort_sorts) {
  serial here;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    runtime::dice rolled{seed};
    std::size_t const n = rolled.below(100'000);
    auto data = this->random_keys(n, seed % 2 == 0 ? 3 : 1U << 31, rolled);  // many equal keys, or hardly any
    auto expected = data;
    std::ranges::sort(expected);
    std::vector<TypeParam> scratch(n);
    sort(here, sorting<TypeParam>{data, scratch});
    EXPECT_EQ(data, expected) << "seed " << seed << ", n " << n;
  }
}

// All keys of the first half are at most as large as all of the second, and none is lost, however unequal the runs are.
TYPED_TEST(cilksort_of, halves_of_a_merge_are_ordered_and_complete) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    runtime::dice rolled{seed};
    auto a = this->random_keys(rolled.below(50), 1 + rolled.below(60), rolled);
    auto b = this->random_keys(2 + rolled.below(50), 1 + rolled.below(60), rolled);
    std::ranges::sort(a);
    std::ranges::sort(b);
    std::vector<TypeParam> out(a.size() + b.size());
    auto const [low, high] = merging<TypeParam>{a, b, out}.halves();
    EXPECT_EQ(low.a.size() + low.b.size(), low.out.size()) << "seed " << seed;
    EXPECT_EQ(low.out.size() + high.out.size(), out.size()) << "seed " << seed;
    EXPECT_LT(low.out.size(), out.size()) << "seed " << seed;  // so the cutting ends
    low.run_leaf();
    high.run_leaf();
    std::vector<TypeParam> expected(out.size());
    std::ranges::merge(a, b, expected.begin());
    EXPECT_EQ(out, expected) << "seed " << seed;
  }
}

TYPED_TEST(cilksort_of, the_input_is_a_shuffled_permutation_that_the_seed_decides) {
  auto input = shuffled<TypeParam>(1000, 7);
  EXPECT_EQ(input, shuffled<TypeParam>(1000, 7));
  EXPECT_NE(input, shuffled<TypeParam>(1000, 8));
  EXPECT_NE(this->wrong_in(input), "");
  std::ranges::sort(input);
  EXPECT_EQ(this->wrong_in(input), "");
}

TYPED_TEST(cilksort_of, every_kind_of_damage_is_noticed) {
  std::vector<TypeParam> good(5000);
  std::iota(good.begin(), good.end(), TypeParam{0});
  EXPECT_EQ(this->wrong_in(good), "");
  auto swapped = good;
  std::swap(swapped[4998], swapped[4999]);
  EXPECT_EQ(this->wrong_in(swapped), "cilksort: position 4998 holds 4999; right is 4998");
  auto doubled = good;  // sorted, but not a permutation
  doubled[10] = doubled[9];
  EXPECT_NE(this->wrong_in(doubled), "");
}

/// Keys [first, first + n) of an array, and the place of whoever sorts them alone.
void expect_owned(std::vector<memory::share> const& shares, std::size_t first, std::size_t n, place_range const& at) {
  if (at.count > 1 && n > sort_leaf_keys) {
    auto const cut = quarters_of(n);
    for (std::uint32_t i = 0; i < 4; ++i) expect_owned(shares, first + cut[i], cut[i + 1] - cut[i], at.quarter(i));
    return;
  }
  auto const mine = [&](memory::share const& s) {
    return s.first == first && s.count == n && s.place == place_id{at.first};
  };
  EXPECT_TRUE(std::ranges::any_of(shares, mine)) << n << " keys from " << first;
}

TEST(cilksort, whoever_sorts_keys_alone_owns_them) {
  for (std::uint32_t places : {0U, 1U, 2U, 3U, 4U, 8U}) {
    auto const shares = owners(1'000'003, {.first = 0, .count = places});
    std::size_t next = 0;
    for (memory::share const& s : shares) {
      EXPECT_EQ(s.first, next);
      next += s.count;
    }
    EXPECT_EQ(next, 1'000'003U);
    expect_owned(shares, 0, 1'000'003, {.first = 0, .count = places});
  }
}

}}  // namespace skua::apps::cilksort
