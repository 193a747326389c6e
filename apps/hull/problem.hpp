// SPDX-License-Identifier: MIT
// hull: the convex hull of random points by quickhull. In a disc nearly all points are gone after a few steps, and the
// run is a pass over memory; on a circle no point ever goes. [numa-ws-2018 V]
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "apps/hull/cap.hpp"
#include "apps/hull/points.hpp"
#include "apps/owned_array.hpp"
#include "apps/place_range.hpp"
#include "apps/placed_array.hpp"
#include "apps/tbb_workers.hpp"
#include "skua/program/fork_join.hpp"

namespace skua::apps::hull {

/// The points, and the steps of a run before and after the recursion.
class problem {
 public:
  problem() = default;
  /// At least one point; leaf >= 1: caps up to this size are finished serially, larger ones are divided in blocks of
  /// this size. Also computes the right answer: work O(n log n). Throws std::bad_alloc.
  problem(std::vector<point> points, std::size_t leaf);

  [[nodiscard]] std::size_t leaf() const noexcept { return leaf_; }
  [[nodiscard]] std::size_t blocks() const noexcept { return extremes_.size(); }
  [[nodiscard]] std::span<point const> block(std::size_t b) const noexcept;

  void reset();
  /// First, for every block: finds its least and its greatest point.
  void look_at_block(std::size_t b) noexcept;
  /// Then, once: divides all points into those below and above the line through the least and the greatest. Nothing if
  /// these two are equal, because then that point is the hull.
  [[nodiscard]] std::optional<division> start();
  /// After the recursion: prepares the answer. Then call write_run for every run of it.
  void collect(chain&& around);
  [[nodiscard]] std::size_t runs() const noexcept { return around_.size(); }
  /// A run of vertices, and where in the answer it belongs.
  [[nodiscard]] std::pair<std::span<point const>, std::span<point>> run(std::size_t i) const noexcept {
    return {around_[i], scratch_.elements().subspan(run_at_[i], around_[i].size())};
  }
  void write_run(std::size_t i) noexcept;

  /// Who looks at a block first owns it, in all three arrays. While the problem lives.
  [[nodiscard]] std::vector<owned_array> owned(place_range const& places);

  [[nodiscard]] std::span<point const> answer() const noexcept { return scratch_.elements().first(vertices_); }
  [[nodiscard]] std::size_t vertices() const noexcept { return vertices_; }
  /// Empty if the answer is the hull, else one line.
  [[nodiscard]] std::string wrong() const;

 private:
  std::size_t leaf_ = 1;
  placed_array<point> input_;
  std::vector<point> right_;  ///< by another algorithm
  std::string flaw_;          ///< of right_

  std::vector<std::pair<point, point>> extremes_;  ///< least and greatest, per block
  placed_array<point> points_;
  placed_array<point> scratch_;
  chain around_;
  std::vector<std::size_t> run_at_;
  std::size_t vertices_ = 0;
};

/// Calls leaf(here, b) for the blocks begin .. end-1 of n. Work hints are numbers of blocks; at the top level, where
/// several places share the points, a block has its owner as place hint.
template <fork_join Here, class Leaf>
void over(Here& here, std::size_t begin, std::size_t end, std::size_t n, place_range const& places, Leaf const& leaf) {
  if (begin == end) return;
  if (end - begin == 1) return leaf(here, begin);
  std::size_t const middle = begin + (end - begin) / 2;
  auto const known = [&](std::size_t from, std::size_t to) {
    return hint{.work = static_cast<double>(to - from),
                .place = places.count < 2 ? std::nullopt : places.owner_of_part(from, to, n)};
  };
  here.join(
      known(begin, middle), [&](Here& h) { over(h, begin, middle, n, places, leaf); }, known(middle, end),
      [&](Here& h) { over(h, middle, end, n, places, leaf); });
}

/// Two comparisons for each point that is looked at.
inline flops looking(std::size_t points) noexcept { return {2 * static_cast<double>(points)}; }
/// Two words for each point that is copied.
inline flops copying(std::size_t points) noexcept { return {2 * static_cast<double>(points)}; }

template <class Point>
reads in(std::span<Point> points) noexcept {
  return {points.data(), points.size_bytes()};
}
inline writes out(std::span<point> points) noexcept { return {points.data(), points.size_bytes()}; }

template <fork_join Here>
chain vertices_of(Here& here, division d, std::size_t leaf, place_range const& places);

/// The vertices of a cap. Expected work O(points) if most are inside its triangle, else O(points log points); span
/// O(depth * (log points + points / leaf + leaf)).
template <fork_join Here>
chain vertices_of(Here& here, cap const& c, std::size_t leaf, place_range const& places) {
  if (c.points.empty()) return {};
  if (c.points.size() > leaf) return vertices_of(here, division(c, leaf), leaf, places);
  return {here.leaf(in(c.points), out(c.points), out(c.scratch), [&] { return finish(c); })};
}

template <fork_join Here>
chain vertices_of(Here& here, division d, std::size_t leaf, place_range const& places) {
  constexpr double per_point = 14;  // two areas: 10 operations, and 4 comparisons
  over(here, 0, d.blocks(), d.blocks(), places, [&d](Here& h, std::size_t b) {
    h.leaf(in(d.source(b)), out(d.scratch(b)), flops{per_point * static_cast<double>(d.source(b).size())},
           [&] { d.sift_block(b); });
  });
  d.settle();
  over(here, 0, d.blocks(), d.blocks(), places, [&d](Here& h, std::size_t b) {
    auto const [first, second] = d.targets(b);
    h.leaf(in(d.scratch(b).first(first.size())), in(d.scratch(b).last(second.size())), out(first), out(second),
           copying(first.size() + second.size()), [&] { d.move_block(b); });
  });
  auto const shares = places.halves();
  auto const known = [&](cap const& c, place_range const& its) {
    return hint{.work = static_cast<double>(c.points.size()),
                .place = places.count < 2 ? std::nullopt : its.owner(0, 1)};
  };
  cap const first = d.first();
  cap const second = d.second();
  auto [a, b] = here.join(
      known(first, shares.first), [&](Here& h) { return vertices_of(h, first, leaf, shares.first); },
      known(second, shares.second), [&](Here& h) { return vertices_of(h, second, leaf, shares.second); });
  return joined(std::move(a), d.middle(), b);
}

/// The whole run.
template <fork_join Here>
void program(Here& here, problem& p, place_range const& places) {
  over(here, 0, p.blocks(), p.blocks(), places, [&p](Here& h, std::size_t b) {
    h.leaf(in(p.block(b)), looking(p.block(b).size()), [&] { p.look_at_block(b); });
  });
  auto whole = p.start();
  if (!whole) return;
  p.collect(vertices_of(here, std::move(*whole), p.leaf(), places));
  over(here, 0, p.runs(), p.runs(), places, [&p](Here& h, std::size_t i) {
    auto const [from, to] = p.run(i);
    h.leaf(in(from), out(to), copying(from.size()), [&] { p.write_run(i); });
  });
}

void with_openmp(unsigned workers, problem& p);
void with_tbb(tbb_workers& workers, unsigned count, problem& p);

}  // namespace skua::apps::hull
