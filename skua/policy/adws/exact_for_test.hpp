// SPDX-License-Identifier: MIT
// Where ranges are cut, computed with whole numbers: nothing is rounded.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace skua { inline namespace v0 { namespace policies { namespace adws {

/// A fraction of whole numbers, in lowest terms.
struct ratio {
  std::int64_t up;
  std::int64_t down;
  ratio(std::int64_t n, std::int64_t d) : up(n / std::gcd(n, d)), down(d / std::gcd(n, d)) {}
  explicit ratio(std::int64_t n) : ratio(n, 1) {}
  [[nodiscard]] double value() const { return static_cast<double>(up) / static_cast<double>(down); }
  friend bool operator==(ratio const&, ratio const&) = default;
};

/// The cut of [right, left] for one of n equal shares, without rounding.
inline ratio exact_cut(ratio right, ratio left, std::int64_t n) {
  // left - (left - right) / n
  ratio const width(left.up * right.down - right.up * left.down, left.down * right.down);
  ratio const part(width.up, width.down * n);
  ratio const at(left.up * part.down - part.up * left.down, left.down * part.down);
  std::int64_t const border = (2 * at.up + at.down) / (2 * at.down);
  std::int64_t const off = at.up - border * at.down;
  if ((off < 0 ? -off : off) * 128 >= at.down) return at;
  double const inside = std::clamp(static_cast<double>(border), right.value(), left.value());
  return inside == static_cast<double>(border) ? ratio(border) : inside == left.value() ? left : right;
}

}}}}  // namespace skua::v0::policies::adws
