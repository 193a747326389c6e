// SPDX-License-Identifier: MIT
// Points of the plane from a file that others wrote: lines of text, or NumPy's .npy. points_file.md says which ones are taken.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/hull/points.hpp"
#include "apps/text_reader.hpp"

namespace skua::apps::hull {

inline constexpr std::int64_t most_points = std::int64_t{1} << 28;

using place = std::array<double, 2>;  ///< x, y; both finite

struct points_file {
  std::vector<place> points;
  std::string_view format;  ///< text or npy
};

/// 1 to most_points points, in the order of the file. Throws usage_error that begins with `FILE:LINE:` or `FILE:`. Work and memory O(bytes of the points
/// that are there).
[[nodiscard]] points_file read_points_file(std::filesystem::path const& file);

/// Lines `X Y`, with a comma or blanks between; `#` begins a comment. Throws usage_error.
[[nodiscard]] std::vector<place> read_points_text(text_reader& in);
/// .npy of version 1 to 3 with this many bytes: shape (n, 2), float32 or float64, of either byte order and either order of axes.
/// Throws usage_error.
[[nodiscard]] std::vector<place> read_npy(std::istream& in, std::uint64_t bytes, std::string const& name);

/// The points as quickhull needs them: on a grid whose unit is a power of two, the finest on which the largest coordinate fits.
struct points_on_grid {
  std::vector<point> points;
  double unit = 1;
  bool exact = true;  ///< each coordinate is a multiple of it; otherwise they are rounded to the nearest one
};
[[nodiscard]] points_on_grid on_grid(std::span<place const> points);

/// "INDEX X Y\n" for each vertex of the hull: the index from 0 of the first point there, and its coordinates in digits that bring back their
/// bits. Work O(points * log vertices).
[[nodiscard]] std::string text_of_hull(std::span<point const> hull, std::span<point const> on_grid,
                                       std::span<place const> points);

}  // namespace skua::apps::hull
