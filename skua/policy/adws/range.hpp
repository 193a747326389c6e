// SPDX-License-Identifier: MIT
// Ranges of workers. A range is two points on the line of workers; a task may use the workers in between, the outermost
// ones in part. [adws-sc19 4.2.1]
//
// As in the paper, workers stand from right to left in numerical order: a range is [right, left] with right <= left,
// worker k is the unit [k, k+1], the owner is the worker at the right end, and the first child gets the left end.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "skua/parts/base/ids.hpp"
#include "skua/program/hint.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace adws {

/// Invariant (range): 0 <= right <= left <= number of workers; both finite.
struct range {
  double right = 0;
  double left = 0;
  friend constexpr bool operator==(range const&, range const&) = default;

  [[nodiscard]] double width() const noexcept { return left - right; }
  /// The worker at the left end. An integer left end k is the border of worker k-1, not part of worker k.
  [[nodiscard]] std::uint32_t leftmost() const noexcept {
    double const end = std::ceil(left);
    return end < 1 ? 0 : static_cast<std::uint32_t>(end) - 1;
  }
  /// The worker that runs a task with this range: the one at the right end. An empty range belongs to the worker before
  /// that end if its parent's range ends there.
  [[nodiscard]] std::uint32_t owner() const noexcept { return std::min(static_cast<std::uint32_t>(right), leftmost()); }
  /// True if the range reaches into several workers' units: its task is a search-root. [adws-sc19 4.2.2]
  [[nodiscard]] bool spans() const noexcept { return leftmost() > owner(); }
  [[nodiscard]] bool covers(std::uint32_t worker) const noexcept { return owner() <= worker && worker <= leftmost(); }
  [[nodiscard]] bool contains(range const& inner) const noexcept { return right <= inner.right && inner.left <= left; }
};

/// A cut closer than this to a border between workers snaps to the border: so small a part of another worker is not
/// worth a migration, and rounding leaves no slivers. Costs a worker at most two such parts.
inline constexpr double least_share = 1.0 / 128;

/// The border next to this point if it is closer than least_share, else the point; inside r.
[[nodiscard]] inline double snapped(range const& r, double exact) noexcept {
  double const border = std::round(exact);
  double const at = std::abs(exact - border) < least_share ? border : exact;
  return std::clamp(at, r.right, r.left);
}

/// The point at which `r` is cut for a child with `work` of the `remaining` work, if all workers are equally fast
/// (worker_line.hpp); the child gets [cut, left]. Inside r for any two numbers. [adws-sc19 4.2.2, 5-8]
[[nodiscard]] inline double cut(range const& r, double work, double remaining) noexcept {
  if (!(work > 0)) return r.left;
  if (!(work < remaining)) return r.right;
  return snapped(r, r.left - (r.left - r.right) * (work / remaining));
}

// A range in one word, for readers that race with its owner: both ends in units of 2^-16 worker, rounded. Holds up to
// 65535 workers.
inline constexpr double packed_unit = 1.0 / 65536;

[[nodiscard]] inline std::uint64_t packed(range const& r) noexcept {
  auto const end = [](double x) { return static_cast<std::uint64_t>(x * (1 / packed_unit) + 0.5); };
  return end(r.right) << 32 | end(r.left);
}
[[nodiscard]] inline range unpacked(std::uint64_t word) noexcept {
  return {.right = static_cast<double>(word >> 32) * packed_unit,
          .left = static_cast<double>(word & 0xffff'ffffU) * packed_unit};
}

}}}}  // namespace skua::v0::policies::adws
