// SPDX-License-Identifier: MIT
// Every element has one place, quadrants tile the memory, and on power-of-two squares the order is the paper's.
#include "skua/parts/memory/z_matrix.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "skua/parts/base/dice.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

struct shape {
  std::size_t rows;
  std::size_t columns;
  std::size_t side;
};

/// Shapes with edges of every kind, and some random ones.
std::vector<shape> shapes(std::uint64_t seed) {
  std::vector<shape> all{{0, 0, 4},   {0, 7, 4},    {5, 0, 4},  {1, 1, 1},  {1, 1, 4},    {4, 4, 4},   {8, 8, 4},
                         {5, 5, 4},   {1, 40, 4},   {40, 1, 4}, {3, 40, 4}, {12, 20, 4},  {13, 21, 4}, {64, 64, 8},
                         {65, 63, 8}, {100, 7, 16}, {7, 7, 1},  {33, 2, 1}, {96, 32, 32}, {1, 1, 100}, {50, 70, 100}};
  dice random(seed);
  for (int i = 0; i < 60; ++i) all.push_back({random.below(90) + 1U, random.below(90) + 1U, random.below(20) + 1U});
  return all;
}

std::string text(shape const& s) {
  return std::to_string(s.rows) + " x " + std::to_string(s.columns) + " in blocks of " + std::to_string(s.side);
}

template <class F>
void each_block(z_view<int> v, F const& f) {
  if (v.empty()) return;
  if (v.is_block()) return f(v);
  for (auto const& q : v.quadrants()) each_block(q, f);
}

/// The bits of j and i, alternating: the Z curve of a square of blocks.
std::size_t interleaved(std::size_t i, std::size_t j) {
  std::size_t code = 0;
  for (unsigned bit = 0; bit < 16; ++bit) code |= ((j >> bit) & 1U) << (2 * bit) | ((i >> bit) & 1U) << (2 * bit + 1);
  return code;
}

constexpr std::uint64_t seed = 20181;

TEST(z_matrix, every_element_has_a_place_of_its_own) {
  for (shape const& s : shapes(seed)) {
    z_matrix<int> m(s.rows, s.columns, s.side);
    int* const begin = m.view().data();
    std::vector<bool> taken(m.view().stored());
    for (std::size_t i = 0; i < s.rows; ++i) {
      for (std::size_t j = 0; j < s.columns; ++j) {
        auto const at = static_cast<std::size_t>(&m.view().at(i, j) - begin);
        ASSERT_LT(at, taken.size()) << text(s) << " at " << i << ", " << j << "; seed " << seed;
        ASSERT_FALSE(taken[at]) << text(s) << " at " << i << ", " << j << "; seed " << seed;
        taken[at] = true;
      }
    }
  }
}

TEST(z_matrix, quadrants_tile_the_memory_of_the_whole_in_order) {
  for (shape const& s : shapes(seed)) {
    z_matrix<int> m(s.rows, s.columns, s.side);
    std::size_t area = 0;
    int* next = m.view().data();
    each_block(m.view(), [&](z_view<int> block) {
      EXPECT_EQ(block.data(), next) << text(s) << "; seed " << seed;
      next += block.stored();
      EXPECT_EQ(block.stored(), s.side * s.side) << text(s) << "; seed " << seed;
      area += block.rows() * block.columns();
    });
    EXPECT_EQ(static_cast<std::size_t>(next - m.view().data()), m.view().stored()) << text(s) << "; seed " << seed;
    EXPECT_EQ(area, s.rows * s.columns) << text(s) << "; seed " << seed;
  }
}

TEST(z_matrix, power_of_two_squares_lie_on_the_curve_of_interleaved_bits) {
  for (std::size_t const side : {std::size_t{1}, std::size_t{4}, std::size_t{7}}) {
    for (std::size_t const blocks : {1U, 2U, 4U, 16U}) {
      z_matrix<int> m(blocks * side, blocks * side, side);
      for (std::size_t i = 0; i < m.rows(); ++i) {
        for (std::size_t j = 0; j < m.columns(); ++j) {
          std::size_t const expected = interleaved(i / side, j / side) * side * side + i % side * side + j % side;
          ASSERT_EQ(static_cast<std::size_t>(&m.view().at(i, j) - m.view().data()), expected)
              << i << ", " << j << " of " << blocks << " blocks of " << side;
        }
      }
    }
  }
}

TEST(z_matrix, rows_survive_the_way_there_and_back) {
  for (shape const& s : shapes(seed)) {
    std::size_t const stride = s.columns + s.side % 3;
    std::vector<int> rows(s.rows * stride + 1);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<int>(i) + 1;

    auto m = z_matrix<int>::untouched(s.rows, s.columns, s.side);
    to_z(m.view(), rows.data(), stride);
    for (std::size_t i = 0; i < s.rows; ++i) {
      for (std::size_t j = 0; j < s.columns; ++j)
        ASSERT_EQ(m.view().at(i, j), rows[i * stride + j]) << text(s) << "; seed " << seed;
    }
    std::vector<int> back(rows.size(), -1);
    from_z(std::as_const(m).view(), back.data(), stride);
    for (std::size_t at = 0; at < back.size(); ++at) {
      bool const is_element = at / stride < s.rows && at % stride < s.columns;
      ASSERT_EQ(back[at], is_element ? rows[at] : -1) << text(s) << " at " << at << "; seed " << seed;
    }
  }
}

TEST(z_matrix, padding_is_zero_after_making_and_after_converting) {
  for (shape const& s : shapes(seed)) {
    std::vector<int> const ones(s.rows * s.columns + 1, 1);
    z_matrix<int> made(s.rows, s.columns, s.side);
    auto filled = z_matrix<int>::untouched(s.rows, s.columns, s.side);
    to_z(filled.view(), ones.data(), s.columns);
    long sum_made = 0;
    long sum_filled = 0;
    for (std::size_t i = 0; i < made.view().stored(); ++i) {
      sum_made += made.view().data()[i];
      sum_filled += filled.view().data()[i];
    }
    EXPECT_EQ(sum_made, 0) << text(s) << "; seed " << seed;
    EXPECT_EQ(sum_filled, static_cast<long>(s.rows * s.columns)) << text(s) << "; seed " << seed;
  }
}

TEST(z_matrix, halves_of_a_side_do_not_depend_on_the_other_side) {
  for (std::size_t length = 1; length < 70; ++length) {
    for (std::size_t const other : {1U, 9U, 64U}) {
      std::vector<int> memory(z_view<int>::stored(length, other, 8));
      z_view<int> const tall(memory.data(), length, other, 8);
      z_view<int> const wide(memory.data(), other, length, 8);
      EXPECT_EQ(tall.quadrants()[0].rows(), wide.quadrants()[0].columns());
      EXPECT_EQ(tall.quadrants()[2].rows(), wide.quadrants()[1].columns());
    }
  }
}

TEST(z_matrix, blocks_of_whole_pages_begin_on_pages) {
  z_matrix<float> m(200, 300, 64);
  each_block(z_view<int>(reinterpret_cast<int*>(m.view().data()), 200, 300, 64),
             [](z_view<int> block) { EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block.data()) % 4096, 0U); });
}

TEST(z_matrix, too_large_a_matrix_is_a_clear_error) {
  std::size_t const huge = std::size_t{1} << 40;
  EXPECT_THROW(z_matrix<float>(huge, huge, 128), resource_error);
}

}}}}  // namespace skua::v0::runtime
