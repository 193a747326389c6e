// SPDX-License-Identifier: MIT
// The line of workers, measured by what they do: where a range is cut if its workers are not equally fast.
//
// Ranges stay ranges of workers, and worker k stays the unit [k, k+1]. Only the measure changes: a part of a range is as large as
// the sum of its workers' speeds. A unit's speed is the same all over it, so the measure is a piecewise linear function of the point,
// and a cut is where that function has lost the child's share. README.md, "Cores of several speeds".
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "skua/parts/base/ids.hpp"
#include "skua/parts/topology/layout.hpp"
#include "skua/policy/adws/range.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace adws {

/// Constant once it is made; no call allocates or throws. Invariant (ascending): before_ is empty, or ascends strictly.
class worker_line {
 public:
  /// `by_speed` = false: all workers count alike, as in the paper.
  worker_line(layout const& where, bool by_speed) {
    bool differ = false;
    for (std::uint32_t w = 1; w < where.workers(); ++w)
      differ = differ || where.speed_of(worker_id{w}) != where.speed_of(worker_id{0});
    if (!by_speed || !differ) return;
    before_.reserve(where.workers() + std::size_t{1});
    before_.push_back(0);
    for (std::uint32_t w = 0; w < where.workers(); ++w)
      before_.push_back(before_.back() + where.speed_of(worker_id{w}));
  }

  /// True if all workers count alike: cut and point_in are then those of the paper, bit for bit.
  [[nodiscard]] bool is_even() const noexcept { return before_.empty(); }

  /// The point at which `r` is cut for a child with `work` of the `remaining` work; the child gets [cut, left]. Inside r for any two
  /// numbers. Cost: O(log workers). [adws-sc19 4.2.2, 5-8]
  [[nodiscard]] double cut(range const& r, double work, double remaining) const noexcept {
    if (is_even() || !(work > 0) || !(work < remaining)) return adws::cut(r, work, remaining);
    return snapped(r, point_in(r, work / remaining));
  }

  /// The point of `r` with this part of its speed at its left.
  [[nodiscard]] double point_in(range const& r, double part) const noexcept {
    if (is_even()) return r.left - part * (r.left - r.right);
    double const left = speed_before(r.left);
    return std::clamp(point_after(left - part * (left - speed_before(r.right))), r.right, r.left);
  }

  /// The sum of the speeds in `r`; its width if all count alike.
  [[nodiscard]] double speed_of(range const& r) const noexcept {
    return is_even() ? r.width() : speed_before(r.left) - speed_before(r.right);
  }

 private:
  [[nodiscard]] std::size_t workers() const noexcept { return before_.size() - 1; }
  [[nodiscard]] double speed_before(double point) const noexcept {
    std::size_t const w = std::min(static_cast<std::size_t>(point), workers() - 1);
    return before_[w] + (point - static_cast<double>(w)) * (before_[w + 1] - before_[w]);
  }
  [[nodiscard]] double point_after(double speed) const noexcept {
    auto const next = std::ranges::upper_bound(before_, speed);
    auto const passed = static_cast<std::size_t>(next - before_.begin());
    std::size_t const w = std::clamp<std::size_t>(passed, 1, workers()) - 1;
    return static_cast<double>(w) + (speed - before_[w]) / (before_[w + 1] - before_[w]);
  }

  std::vector<double> before_;  ///< [k]: the sum of the speeds of workers 0 .. k-1. Empty: all count alike
};

}}}}  // namespace skua::v0::policies::adws
