// SPDX-License-Identifier: MIT
// The values that quickhull divides. A cap is the points outside an edge; the farthest of them is a vertex, and fewer
// points are outside the two edges to it. As values, so that every runtime divides alike and has the same leaves.
// (Eddy 1977; Barber, Dobkin, Huhdanpaa 1996)
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "apps/hull/points.hpp"

namespace skua::apps::hull {

/// The farthest of the points outside an edge; of several, the least: it is an end of their line, hence a vertex.
struct farthest {
  point at;
  wide distance = 0;  ///< as `outside` measures it; 0 while there is none
  void offer(point const& p, wide d) noexcept {
    if (d < distance) return;  // nearly always
    if (d > distance || (d > 0 && p < at)) *this = {p, d};
  }
};

/// The points outside an edge.
///
/// Invariant (outside): every point is outside `base`, and `peak` is the farthest of them.
struct cap {
  std::span<point> points;   ///< in no particular order; overwritten
  std::span<point> scratch;  ///< room for as many
  edge base;
  point peak;
};

/// How many points are outside each of two edges, and the farthest of each.
struct sifted {
  std::size_t first = 0;
  std::size_t second = 0;
  farthest first_peak;
  farthest second_peak;
};

/// Copies the points outside edge `one` to the front of `to`, those outside `two` to its back. `to` has room for all of
/// `from`. No point is outside both.
sifted sift(std::span<point const> from, edge const& one, edge const& two, point* to) noexcept;

/// One step of quickhull, in blocks that may all be sifted in parallel, then all be moved in parallel.
class division {
 public:
  /// The points outside edge one go to the front of `to`, and the point where the edges meet behind them; the points
  /// outside edge two go to the end of `to`. So the remaining points stay in the memory of the places that share the
  /// two caps, for any number of removed points. `from` may be `to`; scratch is as long as `from` and overlaps neither.
  division(std::span<point const> from, std::span<point> to, std::span<point> scratch, edge const& one, edge const& two,
           std::size_t points_per_block);
  /// Divides a cap at its peak.
  division(cap const& c, std::size_t points_per_block);

  [[nodiscard]] std::size_t blocks() const noexcept { return notes_.size(); }
  /// First, for every block: sifts its points. Work O(points of the block).
  void sift_block(std::size_t b) noexcept;
  /// Then, once: computes where each block's points go. Work O(blocks).
  void settle() noexcept;
  /// Then, for every block: moves them there. Work O(points found outside).
  void move_block(std::size_t b) const noexcept;

  // After that:
  [[nodiscard]] cap first() const noexcept;
  [[nodiscard]] cap second() const noexcept;
  /// The vertex between the two.
  [[nodiscard]] std::span<point const> middle() const noexcept { return to_.subspan(first_, 1); }

  [[nodiscard]] std::span<point const> source(std::size_t b) const noexcept { return from_.subspan(begin(b), size(b)); }
  [[nodiscard]] std::span<point> scratch(std::size_t b) const noexcept { return scratch_.subspan(begin(b), size(b)); }
  /// The targets of the two parts of a block.
  [[nodiscard]] std::pair<std::span<point>, std::span<point>> targets(std::size_t b) const noexcept;

 private:
  struct note {
    sifted found;
    std::size_t first_at = 0;   ///< where its points go
    std::size_t second_at = 0;  ///< the same; unused until then
  };

  [[nodiscard]] std::size_t begin(std::size_t b) const noexcept { return b * points_per_block_; }
  [[nodiscard]] std::size_t size(std::size_t b) const noexcept;

  std::span<point const> from_;
  std::span<point> to_;
  std::span<point> scratch_;
  edge one_;
  edge two_;
  std::size_t points_per_block_;
  std::vector<note> notes_;
  std::size_t first_ = 0;
  std::size_t second_ = 0;
  point first_peak_;
  point second_peak_;
};

/// The vertices strictly between the ends of the cap's edge, in order, at the front of its points. Serial; work
/// O(points * depth), no recursion.
std::span<point const> finish(cap const& whole);

/// A piece of the hull, in order, as runs of vertices.
using chain = std::vector<std::span<point const>>;
chain joined(chain left, std::span<point const> middle, chain const& right);

}  // namespace skua::apps::hull
