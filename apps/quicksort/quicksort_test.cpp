// SPDX-License-Identifier: MIT
// It sorts what std::sort sorts, no input makes it quadratic, and damage is noticed.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/quicksort/problem.hpp"
#include "skua/parts/base/dice.hpp"
#include "skua/program/serial.hpp"
#include "skua/skua.hpp"

namespace skua::apps::quicksort {
namespace {

std::vector<key> some_keys(std::uint64_t seed, std::size_t n) {
  auto const which = inputs[seed % inputs.size()];
  return made_input(which, n, seed);
}

/// The splits of the longest chain of parts below this one, and whether a part used up all it had.
struct depth {
  std::uint32_t splits = 0;
  bool gave_up = false;
};
depth depth_of(part const& p, std::size_t cutoff) {
  if (p.keys.size() <= cutoff) return {};
  if (p.splits_left == 0) return {0, true};
  auto const [smaller, larger] = split(p);
  depth const a = depth_of(smaller, cutoff);
  depth const b = depth_of(larger, cutoff);
  return {1 + std::max(a.splits, b.splits), a.gave_up || b.gave_up};
}

TEST(quicksort, sorts_what_std_sort_sorts) {
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    runtime::dice rolled{seed};
    auto data = some_keys(seed, rolled.below(30'000));
    auto expected = data;
    std::ranges::sort(expected);
    serial here;
    program(
        here, data,
        {.cutoff = 1 + rolled.below(seed % 4 == 0 ? 4 : 600), .how = seed % 5 == 0 ? choice::lifo : choice::by_size});
    EXPECT_EQ(data, expected) << "seed " << seed;
  }
}

TEST(quicksort, sorts_on_threads_with_and_without_strategies) {
  for (char const* const policy : {"strategies", "strategies:lifo", "random"}) {
    pool several({.workers = 3, .policy = policy});
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      auto data = some_keys(seed, 20'000);
      auto expected = data;
      std::ranges::sort(expected);
      several.run([&](auto& here) {
        program(here, data, {.cutoff = 32, .how = seed % 2 == 0 ? choice::lifo : choice::by_size});
      });
      EXPECT_EQ(data, expected) << policy << ", seed " << seed;
    }
  }
}

TEST(quicksort, halves_are_ordered_complete_and_smaller_than_the_whole) {
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    runtime::dice rolled{seed};
    auto data = some_keys(seed, 2 + rolled.below(300));
    auto expected = data;
    std::ranges::sort(expected);
    auto const [smaller, larger] = split(part::whole(data));
    EXPECT_LE(smaller.keys.size(), larger.keys.size()) << "seed " << seed;
    EXPECT_LT(larger.keys.size(), data.size()) << "seed " << seed;
    std::ranges::sort(smaller.keys);
    std::ranges::sort(larger.keys);
    EXPECT_EQ(data, expected) << "seed " << seed;  // the halves lie where they belong, and so do the keys between
  }
}

TEST(quicksort, known_bad_inputs_are_split_as_often_as_random_ones) {
  for (auto const which : inputs) {
    auto data = made_input(which, 200'000, 1);
    depth const found = depth_of(part::whole(data), 256);
    EXPECT_FALSE(found.gave_up) << which;
    EXPECT_LE(found.splits, 2 * std::bit_width(data.size() / 256)) << which;
  }
}

TEST(quicksort, a_part_without_splits_is_sorted_by_std_sort) {
  auto data = made_input("random", 5000, 3);
  part const spent{data, 0};
  EXPECT_TRUE(spent.is_leaf(256));
  spent.sort_leaf();
  EXPECT_TRUE(std::ranges::is_sorted(data));
}

TEST(quicksort, every_kind_of_damage_is_noticed) {
  auto data = made_input("random", 5000, 3);
  std::uint64_t const right = fingerprint(data);
  EXPECT_NE(wrong(data, right), "");
  std::ranges::sort(data);
  EXPECT_EQ(wrong(data, right), "");
  auto swapped = data;
  std::swap(swapped[4998], swapped[4999]);
  EXPECT_EQ(wrong(swapped, right),
            "quicksort: position 4999 holds " + std::to_string(data[4998]) + " after a larger key");
  auto doubled = data;  // sorted, but other keys
  doubled[10] = doubled[9];
  EXPECT_EQ(wrong(doubled, right), "quicksort: these are not the keys of the input");
}

TEST(by_size, owners_take_the_smallest_part_and_thieves_the_largest) {
  by_size const small{300, 256};
  by_size const large{3000, 256};
  EXPECT_LT(small.key({.steals = false}), large.key({.steals = false}));
  EXPECT_LT(large.key({.steals = true}), small.key({.steals = true}));
}

TEST(by_size, weight_counts_tasks) {
  EXPECT_EQ((runtime::weight_of(by_size{257, 256})), 1U);
  EXPECT_EQ((runtime::weight_of(by_size{512, 256})), 2U);
  EXPECT_EQ((runtime::weight_of(by_size{256 * 1024, 256})), 10'240U);
}

}  // namespace
}  // namespace skua::apps::quicksort
