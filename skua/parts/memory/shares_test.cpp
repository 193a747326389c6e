// SPDX-License-Identifier: MIT
// However an array is divided, every element and every page has exactly one owner.
#include "skua/parts/memory/shares.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "skua/parts/base/dice.hpp"
#include "skua/parts/memory/page_block.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

constexpr std::size_t page = 4096;

void expect_tiles(std::vector<page_run> const& runs, std::size_t bytes, std::size_t page_bytes) {
  std::size_t next = 0;
  for (page_run const& run : runs) {
    EXPECT_EQ(run.first, next);
    EXPECT_EQ(run.first % page_bytes, 0U);
    EXPECT_GT(run.bytes, 0U);
    EXPECT_EQ(run.bytes % page_bytes, 0U);
    next = run.first + run.bytes;
  }
  EXPECT_EQ(next, bytes);
}

TEST(shares, are_as_large_as_the_places) {
  std::vector<std::uint32_t> const workers{16, 8, 0, 8};
  EXPECT_EQ(
      contiguous_shares(100, workers),
      (std::vector<share>{{place_id{0}, 0, 50}, {place_id{1}, 50, 25}, {place_id{2}, 75, 0}, {place_id{3}, 75, 25}}));
}

TEST(shares, of_nobody_are_the_first_places) {
  EXPECT_EQ(contiguous_shares(7, {}), (std::vector<share>{{place_id{0}, 0, 7}}));
  EXPECT_EQ(contiguous_shares(7, std::vector<std::uint32_t>{0, 0}), (std::vector<share>{{place_id{0}, 0, 7}}));
}

TEST(shares, bounds_are_exact_also_for_numbers_near_the_largest) {
  std::vector<std::uint32_t> const weights{0x7fff'ffffU, 0x7fff'ffffU};
  std::size_t const most = ~std::size_t{0};
  auto const halves = contiguous_shares(most, weights);
  EXPECT_EQ(halves[0].count, most / 2);
  EXPECT_EQ(halves[1].count, most - most / 2);
}

TEST(shares, a_page_belongs_to_the_owner_of_its_first_byte) {
  // Places 0 and 1 meet in the middle of page 1; place 2 has no element; place 3 begins on page 3.
  std::vector<share> const shares{
      {place_id{0}, 0, 600}, {place_id{1}, 600, 936}, {place_id{2}, 1536, 0}, {place_id{3}, 1536, 10}};
  EXPECT_EQ(pages_of(shares, 8, 4 * page, page),
            (std::vector<page_run>{
                {place_id{0}, 0, 2 * page}, {place_id{1}, 2 * page, page}, {place_id{3}, 3 * page, page}}));
}

TEST(shares, smaller_than_a_page_leave_places_without_pages) {
  std::vector<share> const shares = contiguous_shares(4, std::vector<std::uint32_t>{1, 1, 1, 1});
  EXPECT_EQ(pages_of(shares, 8, page, page), (std::vector<page_run>{{place_id{0}, 0, page}}));
}

TEST(shares, shares_tile_any_array) {
  constexpr std::uint64_t seed = 20;
  dice d{seed};
  for (int round = 0; round < 300; ++round) {
    std::vector<std::uint32_t> weights(1 + d.below(9));
    for (std::uint32_t& w : weights) w = d.below(5);
    std::size_t const elements = 1 + d.below(20'000);
    std::size_t const element_bytes = 1 + d.below(40);
    std::size_t const page_bytes = d.below(2) == 0 ? page : 16 * page;
    std::size_t const bytes = whole_pages(elements * element_bytes, page_bytes);
    std::vector<share> const shares = contiguous_shares(elements, weights);
    std::size_t next = 0;
    for (share const& s : shares) {
      EXPECT_EQ(s.first, next);
      next += s.count;
    }
    EXPECT_EQ(next, elements);
    std::vector<page_run> const runs = pages_of(shares, element_bytes, bytes, page_bytes);
    expect_tiles(runs, bytes, page_bytes);
    for (page_run const& run : runs) {
      share const& owner = shares[index(run.place)];
      EXPECT_GE(run.first, owner.first * element_bytes) << "the first byte is the owner's";
      EXPECT_LT(run.first, (owner.first + owner.count) * element_bytes) << "the first byte is the owner's";
    }
    ASSERT_FALSE(HasFailure()) << "seed " << seed << " round " << round;
  }
}

TEST(cyclic_blocks, are_dealt_in_turn_and_rounded_up_to_pages) {
  EXPECT_EQ(cyclic_blocks(5 * page, page + 1, page, 2),
            (std::vector<page_run>{
                {place_id{0}, 0, 2 * page}, {place_id{1}, 2 * page, 2 * page}, {place_id{0}, 4 * page, page}}));
  EXPECT_EQ(cyclic_blocks(2 * page, 0, page, 3),
            (std::vector<page_run>{{place_id{0}, 0, page}, {place_id{1}, page, page}}));
  EXPECT_EQ(cyclic_blocks(2 * page, ~std::size_t{0}, page, 3), (std::vector<page_run>{{place_id{0}, 0, 2 * page}}));
}

TEST(cyclic_blocks, blocks_tile_any_array) {
  constexpr std::uint64_t seed = 21;
  dice d{seed};
  for (int round = 0; round < 300; ++round) {
    std::size_t const bytes = page * (1 + d.below(200));
    std::uint32_t const places = 1 + d.below(9);
    std::size_t const block = d.below(40'000);
    std::vector<page_run> const runs = cyclic_blocks(bytes, block, page, places);
    expect_tiles(runs, bytes, page);
    for (std::size_t k = 0; k < runs.size(); ++k) {
      EXPECT_EQ(index(runs[k].place), k % places);
      EXPECT_TRUE(k + 1 == runs.size() || runs[k].bytes == runs[0].bytes);
    }
    EXPECT_GE(runs[0].bytes, std::min(block, bytes));
    ASSERT_FALSE(HasFailure()) << "seed " << seed << " round " << round;
  }
}

}}}}  // namespace skua::v0::runtime
