// SPDX-License-Identifier: MIT
#include "apps/hull/cap.hpp"

#include <algorithm>

namespace skua::apps::hull {
namespace {

/// Sifts in one piece, for leaves.
std::pair<cap, cap> halves(cap const& c) noexcept {
  edge const one{c.base.from, c.peak};
  edge const two{c.peak, c.base.to};
  sifted const found = sift(c.points, one, two, c.scratch.data());
  std::span<point> const first = c.points.first(found.first);
  std::span<point> const second = c.points.subspan(found.first + 1, found.second);  // the peak itself is in neither
  std::ranges::copy(c.scratch.first(found.first), first.begin());
  std::ranges::copy(c.scratch.last(found.second), second.begin());
  return {{.points = first, .scratch = c.scratch.first(found.first), .base = one, .peak = found.first_peak.at},
          {.points = second, .scratch = c.scratch.last(found.second), .base = two, .peak = found.second_peak.at}};
}

/// 1 or 0. Which side a point is on is a coin toss, so it must not be a branch: sift writes the point to both ends, and
/// one of them keeps it. Compilers turn `d > 0` into a branch.
std::size_t is_positive(wide d) noexcept { return static_cast<std::uint64_t>(-d >> 64) >> 63; }

}  // namespace

sifted sift(std::span<point const> from, edge const& one, edge const& two, point* to) noexcept {
  edge const first = one;  // copies, which writes to the points cannot change
  edge const second = two;
  sifted found;
  point* const last = to + from.size() - 1;
  for (point const& p : from) {
    wide const beyond_first = outside(first, p);
    wide const beyond_second = outside(second, p);
    to[found.first] = p;
    *(last - found.second) = p;
    found.first += is_positive(beyond_first);
    found.second += is_positive(beyond_second);
    found.first_peak.offer(p, beyond_first);
    found.second_peak.offer(p, beyond_second);
  }
  return found;
}

division::division(std::span<point const> from, std::span<point> to, std::span<point> scratch, edge const& one,
                   edge const& two, std::size_t points_per_block)
    : from_(from), to_(to), scratch_(scratch), one_(one), two_(two), points_per_block_(points_per_block),
      notes_((from.size() + points_per_block - 1) / points_per_block) {}

division::division(cap const& c, std::size_t points_per_block)
    : division(c.points, c.points, c.scratch, {c.base.from, c.peak}, {c.peak, c.base.to}, points_per_block) {}

std::size_t division::size(std::size_t b) const noexcept {
  return std::min(points_per_block_, from_.size() - begin(b));
}

void division::sift_block(std::size_t b) noexcept { notes_[b].found = sift(source(b), one_, two_, scratch(b).data()); }

void division::settle() noexcept {
  farthest first;
  farthest second;
  for (note& n : notes_) {
    n.first_at = first_;
    n.second_at = second_;
    first_ += n.found.first;
    second_ += n.found.second;
    first.offer(n.found.first_peak.at, n.found.first_peak.distance);
    second.offer(n.found.second_peak.at, n.found.second_peak.distance);
  }
  for (note& n : notes_) n.second_at += to_.size() - second_;
  first_peak_ = first.at;
  second_peak_ = second.at;
  to_[first_] = one_.to;
}

std::pair<std::span<point>, std::span<point>> division::targets(std::size_t b) const noexcept {
  note const& n = notes_[b];
  return {to_.subspan(n.first_at, n.found.first), to_.subspan(n.second_at, n.found.second)};
}

void division::move_block(std::size_t b) const noexcept {
  auto const [first, second] = targets(b);
  std::ranges::copy(scratch(b).first(first.size()), first.begin());
  std::ranges::copy(scratch(b).last(second.size()), second.begin());
}

cap division::first() const noexcept {
  return {.points = to_.first(first_), .scratch = scratch_.first(first_), .base = one_, .peak = first_peak_};
}

cap division::second() const noexcept {
  return {.points = to_.last(second_), .scratch = scratch_.last(second_), .base = two_, .peak = second_peak_};
}

// Caps wait in the order of their vertices. Before a cap that is the second of its parent comes the parent's peak.
//
// Invariant (room): when a cap is taken, the vertices found so far end before its points, and before the slot in front
// of them if a peak goes there. So the vertices overwrite the points.
std::span<point const> finish(cap const& whole) {
  struct waiting {
    cap what;
    bool after_peak;
  };
  std::vector<waiting> caps{{whole, false}};
  point* out = whole.points.data();
  while (!caps.empty()) {
    auto const [now, after_peak] = caps.back();
    caps.pop_back();
    if (after_peak) *out++ = now.base.from;
    if (now.points.empty()) continue;
    if (now.points.size() == 1) {
      *out++ = now.peak;
      continue;
    }
    auto const [first, second] = halves(now);
    caps.push_back({second, true});
    caps.push_back({first, false});
  }
  return whole.points.first(static_cast<std::size_t>(out - whole.points.data()));
}

chain joined(chain left, std::span<point const> middle, chain const& right) {
  left.push_back(middle);
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

}  // namespace skua::apps::hull
