// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <numeric>

#include "apps/cilksort/problem.hpp"
#include "skua/parts/base/dice.hpp"
#include "skua/program/serial.hpp"

namespace skua::apps::cilksort {
namespace {

std::vector<key> random_keys(std::size_t n, std::uint32_t different, runtime::dice& rolled) {
  std::vector<key> keys(n);
  for (key& k : keys) k = static_cast<key>(rolled.below(different)) - static_cast<key>(different / 2);
  return keys;
}

TEST(cilksort, sorts_what_std_sort_sorts) {
  serial here;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    runtime::dice rolled{seed};
    std::size_t const n = rolled.below(100'000);
    auto data = random_keys(n, seed % 2 == 0 ? 3 : 1U << 31, rolled);  // many equal keys, or hardly any
    auto expected = data;
    std::ranges::sort(expected);
    std::vector<key> scratch(n);
    sort(here, {data, scratch});
    EXPECT_EQ(data, expected) << "seed " << seed << ", n " << n;
  }
}

// All keys of the first half are at most as large as all of the second, and none is lost, however unequal the runs are.
TEST(cilksort, halves_of_a_merge_are_ordered_and_complete) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    runtime::dice rolled{seed};
    auto a = random_keys(rolled.below(50), 1 + rolled.below(60), rolled);
    auto b = random_keys(2 + rolled.below(50), 1 + rolled.below(60), rolled);
    std::ranges::sort(a);
    std::ranges::sort(b);
    std::vector<key> out(a.size() + b.size());
    auto const [low, high] = merging{a, b, out}.halves();
    EXPECT_EQ(low.a.size() + low.b.size(), low.out.size()) << "seed " << seed;
    EXPECT_EQ(low.out.size() + high.out.size(), out.size()) << "seed " << seed;
    EXPECT_LT(low.out.size(), out.size()) << "seed " << seed;  // so the cutting ends
    low.run_leaf();
    high.run_leaf();
    std::vector<key> expected(out.size());
    std::ranges::merge(a, b, expected.begin());
    EXPECT_EQ(out, expected) << "seed " << seed;
  }
}

TEST(cilksort, the_input_is_a_shuffled_permutation_that_the_seed_decides) {
  auto keys = shuffled(1000, 7);
  EXPECT_EQ(keys, shuffled(1000, 7));
  EXPECT_NE(keys, shuffled(1000, 8));
  EXPECT_NE(wrong(keys), "");
  std::ranges::sort(keys);
  EXPECT_EQ(wrong(keys), "");
}

TEST(cilksort, every_kind_of_damage_is_noticed) {
  std::vector<key> good(5000);
  std::iota(good.begin(), good.end(), 0);
  EXPECT_EQ(wrong(good), "");
  auto swapped = good;
  std::swap(swapped[4998], swapped[4999]);
  EXPECT_EQ(wrong(swapped), "cilksort: position 4998 holds 4999; right is 4998");
  auto doubled = good;  // sorted, but not a permutation
  doubled[10] = doubled[9];
  EXPECT_NE(wrong(doubled), "");
}

}  // namespace
}  // namespace skua::apps::cilksort
