// SPDX-License-Identifier: MIT
// Space-filling curves in the plane and in space: orders of the cells of a grid in which close cells mostly have close
// positions. Morton's curve (Z order) is the cheapest; Hilbert's never jumps. The position of a cell on the curve is the
// address of the tasks that work on it. [arms-2021 3.1]
//
// The curves fill squares and cubes with sides of a power of two. Other grids take the order of the smallest one that
// holds them, without the holes: then every part of the line has its share of the cells, whatever the extents are.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "skua/program/address.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// A curve enters a cube, cuts it into 2^D parts, and visits these one after the other. The *corner* of a part has a
/// bit for each dimension, the first coordinate's being the lowest: set if the part lies in the upper half.
template <class C>
concept space_filling_curve = std::default_initializable<C> && requires(C& c, C const& at, std::uint32_t part) {
  { at.position_of(part) } noexcept -> std::same_as<std::uint32_t>;  // of a corner
  { at.corner_at(part) } noexcept -> std::same_as<std::uint32_t>;    // of a position
  { c.enter(part) } noexcept;                                        // goes on inside the part at this position
};

template <std::size_t D>
class morton_curve {
 public:
  [[nodiscard]] constexpr std::uint32_t position_of(std::uint32_t corner) const noexcept { return corner; }
  [[nodiscard]] constexpr std::uint32_t corner_at(std::uint32_t position) const noexcept { return position; }
  constexpr void enter(std::uint32_t) noexcept {}
};

/// Parts in the order of the Gray code, so that each touches the next. Inside a part the order is the same, turned so
/// that the end of one part touches the begin of the next, by the rules of C. Hamilton, Compact Hilbert Indices, 2006.
template <std::size_t D>
class hilbert_curve {
 public:
  [[nodiscard]] constexpr std::uint32_t position_of(std::uint32_t corner) const noexcept {
    std::uint32_t const turned = rotated(corner ^ entry_, D - turn());
    std::uint32_t position = turned;
    for (std::uint32_t shift = 1; shift < D; ++shift) position ^= turned >> shift;
    return position;
  }
  [[nodiscard]] constexpr std::uint32_t corner_at(std::uint32_t position) const noexcept {
    return rotated(gray(position), turn()) ^ entry_;
  }
  constexpr void enter(std::uint32_t position) noexcept {
    std::uint32_t const e = position == 0 ? 0 : gray((position - 1) / 2 * 2);
    std::uint32_t const d = position == 0 ? 0 : trailing_ones((position & 1) != 0 ? position : position - 1);
    entry_ ^= rotated(e, turn());
    direction_ = (direction_ + d + 1) % D;
  }

 private:
  static constexpr std::uint32_t gray(std::uint32_t n) noexcept { return n ^ (n >> 1); }
  static constexpr auto trailing_ones(std::uint32_t n) noexcept {
    return static_cast<std::uint32_t>(std::countr_one(n));
  }
  [[nodiscard]] constexpr std::uint32_t turn() const noexcept { return (direction_ + 1) % D; }
  static constexpr std::uint32_t rotated(std::uint32_t corner, std::uint32_t by) noexcept {
    return ((corner << by) | (corner >> (D - by))) & ((1U << D) - 1);
  }

  std::uint32_t entry_ = 0;      ///< the corner at which the curve enters this cube
  std::uint32_t direction_ = 0;  ///< the dimension along which it leaves
};

template <std::size_t D>
using grid_cell = std::array<std::uint32_t, D>;

/// Which half of the cube with sides 2^(level + 1) this cell is in, for each dimension.
template <std::size_t D>
constexpr std::uint32_t corner_of(grid_cell<D> const& cell, std::uint32_t level) noexcept {
  std::uint32_t corner = 0;
  for (std::size_t i = 0; i < D; ++i) corner |= (cell[i] >> level & 1) << i;
  return corner;
}

/// The position of a cell among the 2^(D * bits) of a cube. Precondition: coordinates below 2^bits, and D * bits <= 64.
template <template <std::size_t> class Curve, std::size_t D>
  requires space_filling_curve<Curve<D>>
constexpr std::uint64_t curve_key(grid_cell<D> const& cell, std::uint32_t bits) noexcept {
  Curve<D> curve;
  std::uint64_t key = 0;
  for (std::uint32_t level = bits; level-- > 0;) {
    std::uint32_t const position = curve.position_of(corner_of(cell, level));
    key = key << D | position;
    curve.enter(position);
  }
  return key;
}

/// The position of a cell among those of a grid with these extents, in the order of curve_key. Precondition: the cell is
/// inside. Cost: at most 2^D - 1 steps for each bit of the largest extent.
template <template <std::size_t> class Curve, std::size_t D>
  requires space_filling_curve<Curve<D>>
constexpr std::uint64_t curve_rank(grid_cell<D> const& cell, grid_cell<D> const& extents) noexcept {
  Curve<D> curve;
  grid_cell<D> low{};  // of the cube that holds the cell, its first corner
  auto const cells_in_part = [&](std::uint32_t corner, std::uint32_t level) {
    std::uint64_t cells = 1;
    for (std::size_t i = 0; i < D; ++i) {
      std::uint32_t const begin = std::min(low[i] | (corner >> i & 1) << level, extents[i]);
      cells *= std::min(extents[i] - begin, 1U << level);
    }
    return cells;
  };
  std::uint64_t rank = 0;
  std::uint32_t const longest = *std::max_element(extents.begin(), extents.end());
  for (auto level = static_cast<std::uint32_t>(std::bit_width(longest - 1)); level-- > 0;) {
    std::uint32_t const corner = corner_of(cell, level);
    std::uint32_t const position = curve.position_of(corner);
    for (std::uint32_t before = 0; before < position; ++before) rank += cells_in_part(curve.corner_at(before), level);
    for (std::size_t i = 0; i < D; ++i) low[i] |= (corner >> i & 1) << level;
    curve.enter(position);
  }
  return rank;
}

template <std::size_t D>
inline constexpr std::uint32_t most_cells_along = D == 2 ? 1U << 31 : 1U << 21;

/// The middle of the cell's part of the line. A cell outside the grid counts as the nearest cell inside.
template <template <std::size_t> class Curve, std::integral T, std::integral U, std::size_t D>
constexpr address curve_address(T const (&cell)[D], U const (&extents)[D]) noexcept {
  static_assert(D == 2 || D == 3, "a cell has two or three coordinates");
  grid_cell<D> inside{};
  grid_cell<D> sides{};
  std::uint64_t cells = 1;
  for (std::size_t i = 0; i < D; ++i) {
    sides[i] = std::cmp_less(extents[i], 1)                     ? 1
               : std::cmp_less(extents[i], most_cells_along<D>) ? static_cast<std::uint32_t>(extents[i])
                                                                : most_cells_along<D>;
    inside[i] = std::cmp_less(cell[i], 0)          ? 0
                : std::cmp_less(cell[i], sides[i]) ? static_cast<std::uint32_t>(cell[i])
                                                   : sides[i] - 1;
    cells *= sides[i];
  }
  return address::of(curve_rank<Curve>(inside, sides), cells);
}

template <std::integral T, std::integral U, std::size_t D>
constexpr address address::morton(T const (&cell)[D], U const (&extents)[D]) noexcept {
  return curve_address<morton_curve>(cell, extents);
}

template <std::integral T, std::integral U, std::size_t D>
constexpr address address::hilbert(T const (&cell)[D], U const (&extents)[D]) noexcept {
  return curve_address<hilbert_curve>(cell, extents);
}

}}}  // namespace skua::v0::runtime
