// SPDX-License-Identifier: MIT
#include "skua/program/collection/index_range.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

namespace skua { inline namespace v0 { namespace {

void expect_leaves(index_range r, std::vector<index_range>& leaves) {
  if (!r.is_divisible()) return leaves.push_back(r);
  index_range const whole = r;
  index_range const upper = r.split();
  EXPECT_EQ(r.first, whole.first);
  EXPECT_EQ(r.last, upper.first);
  EXPECT_EQ(upper.last, whole.last);
  EXPECT_FALSE(r.empty());
  EXPECT_FALSE(upper.empty());
  EXPECT_LE(r.leaves(), upper.leaves());
  EXPECT_LE(upper.leaves(), r.leaves() + 1);
  expect_leaves(r, leaves);
  expect_leaves(upper, leaves);
}

TEST(index_range, splits_in_the_middle_into_leaves_of_its_grain) {
  for (std::uint64_t const size : {1U, 2U, 9U, 10U, 11U, 64U, 101U}) {
    for (std::uint64_t const grain : {1U, 3U, 10U, 200U}) {
      std::vector<index_range> leaves;
      index_range const whole{5, 5 + size, grain};
      expect_leaves(whole, leaves);
      EXPECT_EQ(leaves.size(), whole.leaves());
      std::uint64_t next = 5;
      for (index_range const& leaf : leaves) {
        EXPECT_EQ(leaf.first, next);
        EXPECT_EQ((leaf.first - 5) % grain, 0U);
        EXPECT_EQ(leaf.size(), leaf.last == whole.last ? leaf.size() : grain);
        next = leaf.last;
      }
      EXPECT_EQ(next, whole.last);
    }
  }
}

TEST(index_range, of_nothing_has_no_leaves_and_a_grain_of_0_is_1) {
  EXPECT_TRUE((index_range{5, 5, 1}).empty());
  EXPECT_TRUE((index_range{6, 5, 1}).empty());
  EXPECT_EQ((index_range{6, 5, 1}).leaves(), 0U);
  EXPECT_FALSE((index_range{6, 5, 1}).is_divisible());
  EXPECT_EQ((index_range{0, 5, 0}).leaves(), 5U);
  EXPECT_TRUE((index_range{0, 2, 0}).is_divisible());
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  index_range all{0, most, most / 2 + 1};
  EXPECT_EQ(all.leaves(), 2U);
  EXPECT_EQ(all.split().size(), most / 2);
}

TEST(index_range, has_a_part_for_each_rank_of_whole_leaves) {
  for (std::uint64_t const size : {0U, 1U, 7U, 30U, 31U, 100U}) {
    for (std::uint32_t const ranks : {1U, 2U, 3U, 7U, 40U}) {
      for (std::uint64_t const grain : {1U, 4U}) {
        index_range const whole{10, 10 + size, grain};
        std::uint64_t next = 10;
        for (std::uint32_t r = 0; r < ranks; ++r) {
          index_range const mine = whole.part(r, ranks);
          EXPECT_EQ(mine.first, next);
          EXPECT_LE(mine.leaves(), whole.leaves() / ranks + 1);
          EXPECT_GE(mine.leaves(), whole.leaves() / ranks);
          EXPECT_EQ(mine.grain, grain);
          next = mine.last;
        }
        EXPECT_EQ(next, whole.last);
      }
    }
  }
}

}}}  // namespace skua::v0
