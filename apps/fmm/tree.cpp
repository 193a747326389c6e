// SPDX-License-Identifier: MIT
#include "apps/fmm/tree.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace skua::apps::fmm {
namespace {

struct square {
  complex corner;
  double side = 1;
};

square around(std::span<charge const> all) {
  complex low = all.front().at;
  complex high = low;
  for (charge const& c : all) {
    low = {std::min(low.re, c.at.re), std::min(low.im, c.at.im)};
    high = {std::max(high.re, c.at.re), std::max(high.im, c.at.im)};
  }
  double const side = std::max(high.re - low.re, high.im - low.im);
  return {low, side > 0 ? side : 1};
}

/// The position on the Z-order curve: the bits of x and y by turns.
std::uint64_t key_of(complex at, square const& all) {
  constexpr std::uint32_t bits = tree::most_levels;
  auto const place = [&](double x) {
    double const scaled = x / all.side * static_cast<double>(1U << bits);
    return std::min(static_cast<std::uint64_t>(scaled), (std::uint64_t{1} << bits) - 1);
  };
  std::uint64_t const x = place(at.re - all.corner.re);
  std::uint64_t const y = place(at.im - all.corner.im);
  std::uint64_t key = 0;
  for (std::uint32_t b = bits; b-- > 0;) key = key << 2 | (y >> b & 1) << 1 | (x >> b & 1);
  return key;
}

}  // namespace

double cell::radius() const noexcept { return half * std::numbers::sqrt2; }

void interactions::clear(std::size_t cells) {
  pairs_.clear();
  begins_.assign(cells + 1, 0);
}
void interactions::add(std::uint32_t target, std::uint32_t source) {
  pairs_.push_back({target, source});
  ++begins_[target + 1];
}
void interactions::sort() {
  for (std::size_t i = 1; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
  sources_.resize(pairs_.size());
  std::vector<std::size_t> next(begins_.begin(), begins_.end() - 1);
  for (auto const& [target, source] : pairs_) sources_[next[target]++] = source;
}
std::span<std::uint32_t const> interactions::of(std::uint32_t target) const noexcept {
  return std::span(sources_).subspan(begins_[target], begins_[target + 1] - begins_[target]);
}

tree::tree(std::vector<charge>& charges, std::uint32_t leaf, double theta) {
  square const all = around(charges);
  std::vector<std::pair<std::uint64_t, charge>> sorted;
  sorted.reserve(charges.size());
  for (charge const& c : charges) sorted.emplace_back(key_of(c.at, all), c);
  std::ranges::stable_sort(sorted, {}, &std::pair<std::uint64_t, charge>::first);
  std::vector<std::uint64_t> keys;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    keys.push_back(sorted[i].first);
    charges[i] = sorted[i].second;
  }
  cells_.push_back({.centre = all.corner + complex{all.side / 2, all.side / 2},
                    .half = all.side / 2,
                    .end = static_cast<std::uint32_t>(charges.size())});
  for (std::uint32_t c = 0; c < cells_.size(); ++c) {  // cells_ grows
    cell const parent = cells_[c];
    if (parent.charges() <= leaf || parent.level == most_levels) continue;
    cells_[c].first_child = static_cast<std::uint32_t>(cells_.size());
    std::uint32_t const shift = 2 * (most_levels - 1 - parent.level);
    for (std::uint32_t begin = parent.begin; begin < parent.end;) {
      std::uint64_t const quadrant = keys[begin] >> shift & 3;
      std::uint32_t end = begin;
      while (end < parent.end && (keys[end] >> shift & 3) == quadrant) ++end;
      double const half = parent.half / 2;
      complex const offset{(quadrant & 1) != 0 ? half : -half, (quadrant & 2) != 0 ? half : -half};
      cells_.push_back({.centre = parent.centre + offset,
                        .half = half,
                        .begin = begin,
                        .end = end,
                        .parent = c,
                        .level = parent.level + 1});
      ++cells_[c].children;
      begin = end;
    }
  }
  far_.clear(cells_.size());
  near_.clear(cells_.size());
  interact(0, 0, theta);
  far_.sort();
  near_.sort();
}

/// The larger of two cells is divided until they are far from each other, or leaves. [Dehnen 2002]
void tree::interact(std::uint32_t target, std::uint32_t source, double theta) {
  cell const& t = cells_[target];
  cell const& s = cells_[source];
  double const reach = t.radius() + s.radius();
  if (reach * reach < theta * theta * (t.centre - s.centre).norm()) return far_.add(target, source);
  if (t.children == 0 && s.children == 0) return near_.add(target, source);
  bool const divides_target = s.children == 0 || (t.children != 0 && t.half >= s.half);
  cell const& divided = divides_target ? t : s;
  for (std::uint32_t i = 0; i < divided.children; ++i) {
    std::uint32_t const child = divided.first_child + i;
    divides_target ? interact(child, source, theta) : interact(target, child, theta);
  }
}

}  // namespace skua::apps::fmm
