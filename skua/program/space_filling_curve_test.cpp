// SPDX-License-Identifier: MIT
#include "skua/program/space_filling_curve.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace skua { inline namespace v0 { namespace {

using runtime::curve_key;
using runtime::curve_rank;
using runtime::grid_cell;
using runtime::hilbert_curve;
using runtime::morton_curve;

/// The cells of a grid in the order of a curve; every cell once, or the test fails.
template <template <std::size_t> class Curve, std::size_t D>
std::vector<grid_cell<D>> cells_in_order(grid_cell<D> const& extents) {
  std::size_t cells = 1;
  for (std::uint32_t const n : extents) cells *= n;
  std::vector<grid_cell<D>> order(cells);
  std::vector<int> seen(cells);
  for (std::size_t i = 0; i < cells; ++i) {
    grid_cell<D> cell{};
    std::size_t rest = i;
    for (std::size_t d = 0; d < D; ++d) {
      cell[d] = static_cast<std::uint32_t>(rest % extents[d]);
      rest /= extents[d];
    }
    std::uint64_t const rank = curve_rank<Curve>(cell, extents);
    EXPECT_LT(rank, cells);
    if (rank >= cells) continue;
    order[rank] = cell;
    ++seen[rank];
  }
  for (int const times : seen) EXPECT_EQ(times, 1);
  return order;
}

template <std::size_t D>
std::uint32_t steps_between(grid_cell<D> const& a, grid_cell<D> const& b) {
  std::uint32_t steps = 0;
  for (std::size_t d = 0; d < D; ++d) steps += a[d] < b[d] ? b[d] - a[d] : a[d] - b[d];
  return steps;
}

TEST(morton, the_key_interleaves_the_bits_of_the_coordinates) {
  EXPECT_EQ(curve_key<morton_curve>(grid_cell<2>{0b101, 0b011}, 3), 0b011'011U);
  EXPECT_EQ(curve_key<morton_curve>(grid_cell<3>{0b10, 0b11, 0b01}, 2), 0b011'110U);
  EXPECT_EQ(curve_key<morton_curve>(grid_cell<2>{0xffff'ffffU, 0xffff'ffffU}, 32), ~std::uint64_t{0});
  EXPECT_EQ(curve_key<morton_curve>(grid_cell<2>{0, 0}, 0), 0U);
}

TEST(morton, a_square_of_four_is_visited_as_a_z_of_zs) {
  std::vector<grid_cell<2>> const z{{0, 0}, {1, 0}, {0, 1}, {1, 1}, {2, 0}, {3, 0}, {2, 1}, {3, 1},
                                    {0, 2}, {1, 2}, {0, 3}, {1, 3}, {2, 2}, {3, 2}, {2, 3}, {3, 3}};
  EXPECT_EQ((cells_in_order<morton_curve, 2>({4, 4})), z);
}

TEST(hilbert, a_square_of_four_is_visited_as_in_hilberts_figure) {
  std::vector<grid_cell<2>> const figure{{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 2}, {0, 3}, {1, 3}, {1, 2},
                                         {2, 2}, {2, 3}, {3, 3}, {3, 2}, {3, 1}, {2, 1}, {2, 0}, {3, 0}};
  EXPECT_EQ((cells_in_order<hilbert_curve, 2>({4, 4})), figure);
}

TEST(hilbert, neighbours_on_the_curve_are_neighbours_in_the_square_and_in_the_cube) {
  for (std::uint32_t const side : {1U, 2U, 4U, 8U, 32U}) {
    auto const plane = cells_in_order<hilbert_curve, 2>({side, side});
    for (std::size_t i = 1; i < plane.size(); ++i) ASSERT_EQ(steps_between(plane[i - 1], plane[i]), 1U) << side;
    auto const space = cells_in_order<hilbert_curve, 3>({side, side, side});
    for (std::size_t i = 1; i < space.size(); ++i) ASSERT_EQ(steps_between(space[i - 1], space[i]), 1U) << side;
  }
}

/// The cells of a grid come in the order of their keys in the smallest cube that holds it.
template <template <std::size_t> class Curve, std::size_t D>
void expect_order_of_keys(grid_cell<D> const& extents, std::uint32_t bits) {
  auto const order = cells_in_order<Curve, D>(extents);
  for (std::size_t i = 1; i < order.size(); ++i)
    EXPECT_LT(curve_key<Curve>(order[i - 1], bits), curve_key<Curve>(order[i], bits)) << i;
}

TEST(curves, grids_of_any_extents_are_visited_once_per_cell_in_the_order_of_the_keys) {
  for (auto const& [extents, bits] :
       {std::pair{grid_cell<2>{5, 3}, 3U}, std::pair{grid_cell<2>{1, 17}, 5U}, std::pair{grid_cell<2>{17, 1}, 5U},
        std::pair{grid_cell<2>{7, 7}, 3U}, std::pair{grid_cell<2>{16, 3}, 4U}, std::pair{grid_cell<2>{1, 1}, 0U}}) {
    expect_order_of_keys<morton_curve>(extents, bits);
    expect_order_of_keys<hilbert_curve>(extents, bits);
  }
  for (auto const& [extents, bits] : {std::pair{grid_cell<3>{5, 3, 2}, 3U}, std::pair{grid_cell<3>{1, 1, 9}, 4U},
                                      std::pair{grid_cell<3>{7, 6, 5}, 3U}}) {
    expect_order_of_keys<morton_curve>(extents, bits);
    expect_order_of_keys<hilbert_curve>(extents, bits);
  }
}

TEST(curves, the_key_of_a_cube_is_the_beginning_of_the_keys_of_its_cells) {
  for (std::uint32_t x = 0; x < 16; ++x) {
    for (std::uint32_t y = 0; y < 16; ++y) {
      for (std::uint32_t up = 0; up <= 4; ++up) {
        EXPECT_EQ(curve_key<hilbert_curve>(grid_cell<2>{x, y}, 4) >> (2 * up),
                  curve_key<hilbert_curve>(grid_cell<2>{x >> up, y >> up}, 4 - up));
        EXPECT_EQ(curve_key<morton_curve>(grid_cell<2>{x, y}, 4) >> (2 * up),
                  curve_key<morton_curve>(grid_cell<2>{x >> up, y >> up}, 4 - up));
      }
    }
  }
}

/// The mean distance in the grid of cells that are `gap` apart on the curve.
template <template <std::size_t> class Curve>
double mean_distance(std::size_t gap) {
  auto const order = cells_in_order<Curve, 2>({64, 64});
  double sum = 0;
  for (std::size_t i = gap; i < order.size(); ++i) sum += steps_between(order[i - gap], order[i]);
  return sum / static_cast<double>(order.size() - gap);
}

TEST(curves, the_closer_on_the_line_the_closer_in_the_grid) {
  for (std::size_t gap = 1; gap <= 256; gap *= 4) {
    EXPECT_LT(mean_distance<morton_curve>(gap), mean_distance<morton_curve>(4 * gap)) << gap;
    EXPECT_LT(mean_distance<hilbert_curve>(gap), mean_distance<hilbert_curve>(4 * gap)) << gap;
    EXPECT_LT(mean_distance<hilbert_curve>(gap), mean_distance<morton_curve>(gap)) << gap;
    EXPECT_LT(mean_distance<hilbert_curve>(gap), 2 * std::sqrt(static_cast<double>(gap))) << gap;
  }
}

TEST(curves, every_part_of_the_line_has_its_share_of_any_grid) {
  for (auto const& [nx, ny] : {std::pair{100, 3}, std::pair{5, 5}, std::pair{1, 1000}, std::pair{33, 65}}) {
    std::vector<int> cells(4);
    for (int x = 0; x < nx; ++x) {
      for (int y = 0; y < ny; ++y) ++cells[address::hilbert({x, y}, {nx, ny}).fraction >> 30];
    }
    for (int const n : cells) EXPECT_NEAR(n, nx * ny / 4.0, 1) << nx << " x " << ny;
  }
}

TEST(curves, addresses_are_known_at_compile_time_and_name_the_middles_of_equal_parts) {
  static_assert(address::morton({0, 0}, {2, 2}) == address::at(0.125));
  static_assert(address::morton({1, 0}, {2, 2}) == address::at(0.375));
  static_assert(address::morton({1, 1, 1}, {2, 2, 2}) == address::at(15.0 / 16));
  static_assert(address::hilbert({1U, 0U}, {2L, 2L}) == address::at(0.875));
  static_assert(address::hilbert({0, 0, 0}, {1, 1, 1}) == address::at(0.5));
}

TEST(curves, a_cell_outside_of_the_grid_counts_as_the_nearest_and_an_extent_below_one_as_one) {
  EXPECT_EQ(address::hilbert({-3, 99}, {4, 4}), address::hilbert({0, 3}, {4, 4}));
  EXPECT_EQ(address::morton({5, 5}, {0, -1}), address::at(0.5));
  constexpr auto huge = std::numeric_limits<std::int64_t>::max();
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(address::morton({least, least}, {huge, huge}).fraction, 0U);
  EXPECT_GT(address::morton({huge, huge}, {huge, huge}).fraction, 0xffff'fff0U);
  EXPECT_GT(address::morton({huge, huge, huge}, {huge, huge, huge}).fraction, 0xffff'fff0U);
}

}}}  // namespace skua::v0
