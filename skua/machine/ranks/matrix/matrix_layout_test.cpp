// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/matrix/matrix_layout.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "skua/parts/base/dice.hpp"
#include "skua/parts/base/error.hpp"

namespace skua { inline namespace v0 { namespace ranks { namespace {

std::vector<std::uint64_t> drawn_starts(runtime::dice& dice, std::uint64_t n) {
  std::vector<std::uint64_t> starts{0};
  for (std::uint64_t at = 1; at < n; ++at) {
    if (dice.below(4) == 0) starts.push_back(at);
  }
  return starts;
}

// Every element has one owner, which owner_of names, and one place in its owner's memory, which is full.
void expect_one_owner(matrix_layout const& all) {
  std::map<std::pair<std::uint64_t, std::uint64_t>, int> owners;
  for (rank_number r = 0; r < all.ranks(); ++r) {
    std::vector<int> used(all.elements_of(r), 0);
    for (auto const& b : all.blocks_of(r)) {
      EXPECT_EQ(b.owner, r);
      for (std::uint64_t i = 0; i < b.where.rows; ++i) {
        for (std::uint64_t j = 0; j < b.where.columns; ++j) {
          EXPECT_EQ(all.owner_of(b.where.row + i, b.where.column + j), r);
          ++owners[{b.where.row + i, b.where.column + j}];
          ++used.at(b.at + i * b.where.columns + j);
        }
      }
    }
    EXPECT_EQ(used, std::vector<int>(used.size(), 1));
  }
  EXPECT_EQ(owners.size(), all.rows() * all.columns());
  for (auto const& o : owners) EXPECT_EQ(o.second, 1);
}

TEST(matrix_layout, gives_each_element_one_owner_and_one_place) {
  std::uint64_t const seed =
      std::getenv("SEED") != nullptr ? std::strtoull(std::getenv("SEED"), nullptr, 10) : std::random_device{}();
  SCOPED_TRACE("SEED=" + std::to_string(seed));
  runtime::dice dice(seed);
  for (int round = 0; round < 60; ++round) {
    rank_number const ranks = 1 + dice.below(9);
    std::uint64_t const rows = dice.below(14);
    std::uint64_t const columns = dice.below(14);
    SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns) + " on " + std::to_string(ranks));
    expect_one_owner({rows, columns, matrix_distribution::by_rows(), ranks, 8});
    expect_one_owner({rows, columns, matrix_distribution::grid(), ranks, 8});
    expect_one_owner({rows, columns, matrix_distribution::grid(ranks, 1), ranks, 8});
    expect_one_owner({rows, columns, matrix_distribution::tiles(1 + dice.below(5), 1 + dice.below(20)), ranks, 8});
    matrix_layout const cut(
        rows, columns, matrix_distribution::irregular(drawn_starts(dice, rows), drawn_starts(dice, columns)), ranks, 8);
    expect_one_owner(cut);
    rectangle const r{dice.below(static_cast<std::uint32_t>(rows) + 1),
                      dice.below(static_cast<std::uint32_t>(columns) + 1), 0, 0};
    rectangle const some{r.row, r.column, dice.below(static_cast<std::uint32_t>(rows - r.row) + 1),
                         dice.below(static_cast<std::uint32_t>(columns - r.column) + 1)};
    std::uint64_t covered = 0;
    cut.each_part(some, [&](matrix_layout::block const& b, rectangle const& part) {
      covered += part.size();
      EXPECT_EQ(cut.owner_of(part.row, part.column), b.owner);
    });
    EXPECT_EQ(covered, some.size()) << in_words(some);
  }
}

TEST(matrix_layout, balances_rows_and_takes_the_grid_nearest_to_a_square) {
  matrix_layout const rows(10, 3, matrix_distribution::by_rows(), 4, 8);
  for (rank_number r = 0; r < 4; ++r) EXPECT_EQ(rows.elements_of(r), r < 2 ? 9U : 6U);
  EXPECT_EQ(matrix_layout(8, 8, matrix_distribution::grid(), 12, 8).in_words(), "8 x 8 in a grid of 3 x 4");
  EXPECT_EQ(matrix_layout(8, 8, matrix_distribution::grid(), 16, 8).in_words(), "8 x 8 in a grid of 4 x 4");
  EXPECT_EQ(matrix_layout(8, 8, matrix_distribution::grid(), 7, 8).in_words(), "8 x 8 in a grid of 1 x 7");
}

TEST(matrix_layout, contains_no_rectangle_that_wraps_around) {
  matrix_layout const m(5, 5, matrix_distribution::by_rows(), 2, 8);
  constexpr std::uint64_t most = ~std::uint64_t{0};
  EXPECT_TRUE(m.contains({5, 5, 0, 0}));
  EXPECT_FALSE(m.contains({6, 0, 0, 0}));
  EXPECT_FALSE(m.contains({1, 0, most, 1}));
  EXPECT_FALSE(m.contains({0, most, 1, 2}));
}

TEST(matrix_layout, refuses_what_cannot_be) {
  auto const make = [](std::uint64_t rows, std::uint64_t columns, matrix_distribution const& how) {
    return matrix_layout(rows, columns, how, 4, 8);
  };
  EXPECT_THROW(make(std::uint64_t{1} << 40, std::uint64_t{1} << 40, matrix_distribution::by_rows()), usage_error);
  EXPECT_THROW(make(4, 4, matrix_distribution::grid(3, 1)), usage_error);
  EXPECT_THROW(make(4, 4, matrix_distribution::grid(0, 4)), usage_error);
  EXPECT_THROW(make(4, 4, matrix_distribution::tiles(2, 0)), usage_error);
  EXPECT_THROW(make(std::uint64_t{1} << 40, 4, matrix_distribution::tiles(1, 1)), usage_error);
  EXPECT_THROW(make(1 << 13, 1 << 13, matrix_distribution::tiles(1, 1)), usage_error);
  EXPECT_THROW(make(4, 4, matrix_distribution::irregular({1, 2}, {0})), usage_error);
  EXPECT_THROW(make(4, 4, matrix_distribution::irregular({0, 2, 2}, {0})), usage_error);
  EXPECT_THROW(make(4, 4, matrix_distribution::irregular({0, 4}, {0})), usage_error);
  EXPECT_THROW(make(4, 4, matrix_distribution::irregular({0}, {})), usage_error);
}

}}}}  // namespace skua::v0::ranks
