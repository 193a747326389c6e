// SPDX-License-Identifier: MIT
// Meshes of triangles, and which triangles are neighbours: the dual graph, in which strips are paths. [strategies-2013 4]
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace skua::apps::strips {

using vertex = std::uint32_t;
using triangle = std::uint32_t;  ///< numbered from 0
inline constexpr triangle nobody = std::numeric_limits<triangle>::max();
inline constexpr std::int64_t most_triangles = std::int64_t{1} << 30;
using corners = std::array<vertex, 3>;

/// Triangles over one edge are neighbours. Where more than two meet at an edge, the first is the neighbour of the second,
/// the third of the fourth, and so on. A triangle that is two or more times in the same vertex has no neighbours.
class mesh {
 public:
  /// At most most_triangles. Throws usage_error. Work O(n log n).
  explicit mesh(std::vector<corners> triangles);

  [[nodiscard]] triangle triangles() const noexcept { return static_cast<triangle>(corners_.size()); }
  [[nodiscard]] corners const& corners_of(triangle t) const noexcept { return corners_[t]; }
  /// Over the edges from corner i to the next one; `nobody` at a border.
  [[nodiscard]] std::array<triangle, 3> const& neighbours(triangle t) const noexcept { return neighbours_[t]; }
  /// Edges with more than two triangles.
  [[nodiscard]] std::size_t crowded_edges() const noexcept { return crowded_edges_; }

 private:
  std::vector<corners> corners_;
  std::vector<std::array<triangle, 3>> neighbours_;
  std::size_t crowded_edges_ = 0;
};

/// Two corners of one are corners of the other.
[[nodiscard]] bool share_edge(corners const& a, corners const& b) noexcept;

/// A torus of squares that random diagonals divide in two, with holes; exactly this many triangles, row by row. The
/// same on every machine. Throws usage_error.
mesh generated_surface(triangle triangles, std::uint64_t seed);

}  // namespace skua::apps::strips
