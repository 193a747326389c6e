// SPDX-License-Identifier: MIT
// Points of the plane with whole-number coordinates, an exact test on which side of a line they lie, and the two inputs
// of the Problem Based Benchmark Suite: in a disc, on a circle. (Blelloch et al., SPAA 2012) [numa-ws-2018 V]
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace skua::apps::hull {

/// Ordered by x, then y. Coordinates are between -radius and radius, so that no product below overflows.
struct point {
  std::int64_t x = 0;
  std::int64_t y = 0;
  friend constexpr auto operator<=>(point const&, point const&) = default;
};
inline constexpr std::int64_t radius = std::int64_t{1} << 52;

/// 128 bits: two products of differences of coordinates, each below 2^106.
__extension__ using wide = __int128;

/// An edge from one point to another. A counter-clockwise hull has all points to the left of its edges or on them.
struct edge {
  point from;
  point to;
};

/// Twice the area of the triangle of the edge and p, positive if p lies to the right of the edge, which is outside. For
/// a given edge it grows with p's distance. Exact.
constexpr wide outside(edge const& e, point const& p) noexcept {
  return wide{p.x - e.from.x} * (e.to.y - e.from.y) - wide{p.y - e.from.y} * (e.to.x - e.from.x);
}

enum class shape : std::uint8_t { in, on };

/// n random points in the disc around the origin, or within a rounding of its circle. The same on every machine.
std::vector<point> make_points(shape where, std::size_t n, std::uint64_t seed);

// A hull is the list of its vertices, counter-clockwise from the least point, without points inside its edges; it has
// one or two points if all points are equal or on a line.

/// The hull by Andrew's monotone chain, which shares only `outside` with quickhull (Andrew 1979). The points are in
/// ascending order, at least one. Work O(n).
std::vector<point> monotone_chain(std::span<point const> ascending);

/// Empty if this is the hull of these points: strictly convex, once around, made of them, and none of them outside;
/// else one line. The points are in ascending order. Work O(n log h) for h vertices.
std::string flaw(std::span<point const> hull, std::span<point const> ascending);

}  // namespace skua::apps::hull
