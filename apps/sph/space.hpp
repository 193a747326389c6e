// SPDX-License-Identifier: MIT
// Points and boxes of two or three dimensions.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

namespace skua::apps::sph {

/// A point, a velocity, a force. SI units. The last coordinate points up.
template <std::size_t D>
using vec = std::array<double, D>;

template <std::size_t D>
constexpr vec<D> operator-(vec<D> const& a, vec<D> const& b) noexcept {
  vec<D> difference{};
  for (std::size_t d = 0; d < D; ++d) difference[d] = a[d] - b[d];
  return difference;
}

template <std::size_t D>
constexpr double dot(vec<D> const& a, vec<D> const& b) noexcept {
  double sum = 0;
  for (std::size_t d = 0; d < D; ++d) sum += a[d] * b[d];
  return sum;
}

/// to += factor * what
template <std::size_t D>
constexpr void add(vec<D>& to, double factor, vec<D> const& what) noexcept {
  for (std::size_t d = 0; d < D; ++d) to[d] += factor * what[d];
}

/// All points between two corners, sides included. A new box is empty.
template <std::size_t D>
struct box {
  vec<D> low = filled(std::numeric_limits<double>::infinity());
  vec<D> high = filled(-std::numeric_limits<double>::infinity());

  static constexpr vec<D> filled(double value) noexcept {
    vec<D> all{};
    all.fill(value);
    return all;
  }

  constexpr void include(vec<D> const& point) noexcept {
    for (std::size_t d = 0; d < D; ++d) {
      low[d] = std::min(low[d], point[d]);
      high[d] = std::max(high[d], point[d]);
    }
  }
  constexpr void include(box const& other) noexcept {
    for (std::size_t d = 0; d < D; ++d) {
      low[d] = std::min(low[d], other.low[d]);
      high[d] = std::max(high[d], other.high[d]);
    }
  }
  [[nodiscard]] constexpr box widened(double by) const noexcept {
    box wide = *this;
    for (std::size_t d = 0; d < D; ++d) {
      wide.low[d] -= by;
      wide.high[d] += by;
    }
    return wide;
  }
  [[nodiscard]] constexpr bool contains(vec<D> const& point) const noexcept {
    bool in = true;
    for (std::size_t d = 0; d < D; ++d) in = in && low[d] <= point[d] && point[d] <= high[d];
    return in;
  }
  [[nodiscard]] constexpr bool meets(box const& other) const noexcept {
    bool both = true;
    for (std::size_t d = 0; d < D; ++d) both = both && low[d] <= other.high[d] && other.low[d] <= high[d];
    return both;
  }
};

}  // namespace skua::apps::sph
